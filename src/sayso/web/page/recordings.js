// The tab Recordings: bags and demo runs, to play, to compare, and to replay with today's models.

import {fill, h, t} from './dom.js';
import {clock, look, showPlayer} from './player.js';
import {versus} from './versus.js';

const ASK_AGAIN = 700; // ms between two looks at a replay

export function show(root, app) {
  const rows = h('tbody'), note = h('p', {class: 'faint', role: 'status'}), opened = h('div', {class: 'opened', tabindex: -1});
  let close = null, list = [], over = false;
  const again = h('button', {type: 'button', onclick: () => load()}, t('recordings.refresh'));
  root.append(h('section', {class: 'card'}, h('div', {class: 'head'}, h('h2', {}, t('recordings.title')), again), note,
    h('div', {class: 'scroll shelf'}, h('table', {}, h('thead', {}, h('tr', {}, ['name', 'date', 'length', 'utterances', 'expected'].map((name, index) =>
      h('th', {scope: 'col', class: index > 1 && index < 4 ? 'number' : null}, t(`recordings.${name}`))))), rows))), opened);

  const load = async () => {
    note.textContent = t('recordings.reading');
    const answer = await app.get('api/recordings');
    if (over) return;
    list = answer.recordings ?? [];
    note.textContent = answer.ok ? (list.length ? '' : t('recordings.empty')) : answer.message || t('not_connected');
    fill(rows, list.map(each => h('tr', {},
      h('th', {scope: 'row'}, h('button', {type: 'button', class: 'link', onclick: () => open(each)}, each.name), each.problem && h('p', {class: 'faint'}, each.problem)),
      h('td', {}, new Date(each.date).toLocaleString()), h('td', {class: 'number'}, clock(each.seconds)), h('td', {class: 'number'}, String(each.utterances)),
      h('td', {}, each.expected !== null && h('span', {class: `pill ${each.expected ? 'good' : 'bad'}`}, t(each.expected ? 'recordings.as' : 'recordings.not_as'))))));
  };
  const open = async ({id, name}) => {
    close?.();
    close = null;
    fill(opened, h('p', {class: 'faint', role: 'status'}, t('recordings.opening', {name})));
    const recording = await app.get(`api/recordings/${id}`);
    const events = recording.ok ? await app.get(`api/recordings/${id}/events`) : [];
    if (over) return;
    if (!recording.ok || !Array.isArray(events)) {
      fill(opened, h('p', {class: 'alert'}, recording.message || events.message || t('not_connected')));
      return;
    }
    close = showOpened(opened, app, recording, events, list.filter(each => each.id !== id));
    opened.focus({preventScroll: true});
    opened.scrollIntoView({block: 'start'});
  };
  load();
  return () => { over = true; close?.(); };
}

function showOpened(root, app, recording, events, others) {
  const stage = h('div'), result = h('section', {class: 'card', hidden: true, 'aria-live': 'polite'});
  const other = h('select', {'aria-label': t('recordings.other')}, others.map(each => h('option', {value: each.id}, each.name)));
  const compare = h('button', {type: 'button'}, t('recordings.compare')), replay = h('button', {type: 'button'}, t('recordings.replay'));
  fill(root,
    h('h2', {}, recording.name, recording.report && [' ', h('a', {href: `api/recordings/${recording.id}/report`, target: '_blank', rel: 'noopener'}, t('recordings.report'))]),
    recording.problems.map(problem => h('p', {class: 'faint'}, problem)), stage,
    recording.marks.length > 0 && sentences(recording, mark => player.seek(mark)),
    h('section', {class: 'card'}, h('div', {class: 'controls'}, replay, others.length > 0 && [compare, other])), result);
  const player = showPlayer(stage, app, recording, events);
  let watching = 0; // a number that changes when something else is shown
  compare.addEventListener('click', async () => {
    const mine = ++watching, answer = await app.get(`api/recordings/${recording.id}/against/${other.value}`);
    if (mine !== watching) return;
    result.hidden = false;
    fill(result, answer.ok ? versus(answer.names, answer.rows) : h('p', {}, answer.message || t('not_connected')));
  });
  replay.addEventListener('click', async () => {
    const mine = ++watching, started = await app.post(`api/recordings/${recording.id}/replay`, {});
    result.hidden = false;
    if (!started.ok) return fill(result, h('p', {}, started.message || t('not_connected')));
    const bar = h('progress', {'aria-label': t('recordings.replaying')});
    const cancel = h('button', {type: 'button', onclick: () => app.post(`api/replays/${started.id}/cancel`, {})}, t('recordings.cancel'));
    fill(result, h('p', {}, t('recordings.replaying')), h('div', {class: 'controls'}, bar, cancel));
    while (mine === watching) {
      const state = await app.get(`api/replays/${started.id}`);
      if (mine !== watching) return;
      if (state.state !== 'running') {
        fill(result, state.state === 'done' ? [versus([t('recordings.recorded'), t('recordings.today')], state.rows), state.problems.map(problem => h('p', {class: 'faint'}, problem))]
          : h('p', {}, state.state === 'cancelled' ? t('recordings.cancelled') : state.message || t('not_connected')));
        return;
      }
      if (state.parts > 1) { bar.max = state.parts; bar.value = state.done; } // of one part nobody knows how far it is
      await new Promise(resolve => setTimeout(resolve, ASK_AGAIN));
    }
  });
  return () => { watching++; player.close(); };
}

function sentences(recording, seek) {
  return h('details', {class: 'card', open: recording.marks.some(mark => mark.checks.some(check => !check[3]))}, h('summary', {}, t('recordings.sentences')),
    h('div', {class: 'scroll'}, h('table', {}, h('thead', {}, h('tr', {}, ['time', 'heard', 'decided', 'outcome', 'expected'].map(name => h('th', {scope: 'col'}, t(`recordings.${name}`))))),
      h('tbody', {}, recording.marks.map(mark => h('tr', {},
        h('th', {scope: 'row'}, h('button', {type: 'button', class: 'link', onclick: () => seek(mark), 'aria-label': t('recordings.to', {time: clock(mark.t)})}, clock(mark.t))),
        h('td', {}, mark.heard || t('stories.nothing')), h('td', {}, mark.decided), h('td', {}, mark.outcome),
        h('td', {}, mark.checks.length > 0 && h('span', {class: `pill ${look(mark)}`}, t(look(mark) === 'good' ? 'recordings.as' : 'recordings.not_as')),
          mark.checks.filter(check => !check[3]).map(([what, wanted, found]) => h('p', {class: 'faint'}, t('recordings.unmet', {what, wanted, found}))))))))));
}
