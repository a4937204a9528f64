// Two recordings, or a recording and its replay, sentence by sentence.

import {h, t} from './dom.js';
import {clock} from './marks.js';

export function versus(names, rows) {
  const fields = Object.keys(rows.map(row => row.first ?? row.second).find(Boolean) ?? {heard: ''});
  const differing = rows.filter(row => row.differs.length).length;
  const cell = (row, field) => {
    const first = row.first?.[field] ?? '', second = row.second?.[field] ?? '';
    if (!row.differs.includes(field)) return h('td', {}, first || second); // of a sentence that one has, all is that one's
    return h('td', {class: 'differs'}, h('p', {}, h('b', {}, 'A '), first || t(row.first ? 'recordings.none' : 'recordings.not_there')), h('p', {}, h('b', {}, 'B '), second || t(row.second ? 'recordings.none' : 'recordings.not_there')));
  };
  return [h('p', {}, h('b', {}, 'A '), names[0], h('br'), h('b', {}, 'B '), names[1]),
    h('p', {}, t(differing ? 'recordings.differ' : 'recordings.same', {differing, all: rows.length})),
    rows.length > 0 && h('div', {class: 'scroll'}, h('table', {class: 'versus'},
      h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, t('recordings.time')), fields.map(field => h('th', {scope: 'col'}, t(`recordings.${field}`))))),
      h('tbody', {}, rows.map(row => h('tr', {}, h('th', {scope: 'row', class: 'number'}, clock(row.t[0] ?? row.t[1] ?? 0)), fields.map(field => cell(row, field)))))))];
}
