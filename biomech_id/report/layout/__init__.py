"""How a page is made: the sheet, panels, scales, tables of text, style and words."""
