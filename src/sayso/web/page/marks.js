// The sentences of a recording, as marks on a time line.

import {t} from './dom.js';

const AROUND = 0.2; // s of sound before the speech

export const clock = s => `${Math.floor(s / 60)}:${String(Math.floor(s % 60)).padStart(2, '0')}`;
export const startOf = mark => Math.max(0, mark.t - mark.seconds - (mark.sound ? AROUND : 0));
export const said = mark => `${clock(mark.t)} ${mark.heard ? `“${mark.heard}”` : t('stories.nothing')}`;

// The colour of a mark: as expected or not, else how it ended.
export function look(mark) {
  if (mark.checks.length) return mark.checks.every(check => check[3]) ? 'good' : 'bad';
  if (mark.outcome) return mark.outcome === 'done' ? 'good' : 'bad';
  return mark.heard ? 'ask' : 'reject';
}
