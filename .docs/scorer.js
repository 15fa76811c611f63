// Order of what a search finds: answers for users come before history and before names of Python.

const LAST = /^(CHANGELOG|CONTRIBUTING|build\/|tests\/|.*\/decisions)/;

var Scorer = {
  score: ([page, , , , score]) => (LAST.test(page) ? score - 20 : score),
  objNameMatch: 6,
  objPartialMatch: 1,
  objPrio: { 0: 0, 1: 0, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
