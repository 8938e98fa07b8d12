// How the site's search ranks: Sphinx's own scores, and before them how many of the words asked stand in the page's title (or, for less,
// in one of its headings). A module of the reference comes after a guide that says as much. `docs/search_check.py` counts in the same way.
var Scorer = {
  objNameMatch: 11, objPartialMatch: 6, objPrio: {0: 15, 1: 5, 2: -5}, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,

  stems: (text) => {
    const stemmer = new Stemmer();
    return splitQuery(text.toLowerCase()).filter((word) => !stopwords.has(word)).map((word) => stemmer.stemWord(word));
  },

  share: (asked, text) => {
    const has = new Set(Scorer.stems(text));
    return asked.length ? asked.filter((word) => has.has(word)).length / asked.length : 0;
  },

  score: ([docname, title, anchor, descr, score]) => {
    const asked = Scorer.stems(new URLSearchParams(window.location.search).get("q") || "");
    const index = Search._index, file = index.docnames.indexOf(docname);
    let heading = 0;
    for (const [words, places] of Object.entries(index.alltitles))
      if (places.some((place) => place[0] === file)) heading = Math.max(heading, Scorer.share(asked, words));
    const named = 30 * Scorer.share(asked, index.titles[file]) + 15 * heading;
    if (docname.startsWith("api/")) return score - 25 + named / 2;
    return docname.startsWith("decisions/") ? score - 10 + named / 2 : score + named;
  },
};
