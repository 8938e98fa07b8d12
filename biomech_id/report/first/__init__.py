"""The first page of a session: what a gait team reads first, made of tables and rules, each number of which stands in a table.

In flow a session's tables, the norm's people and the rules of `interpretation`; out flow drawings on a sheet, a module for each
part of the page. A further part is a function of `SessionFacts` that `page.first_page` calls.
"""
