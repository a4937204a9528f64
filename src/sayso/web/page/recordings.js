// The tab Recordings: bags and demo runs, to play, to compare, and to replay with today's models.

import {fill, h, t} from './dom.js';
import {clock, look} from './marks.js';
import {showPlayer} from './player.js';
import {showTogether} from './together.js';
import {versus} from './versus.js';

const ASK_AGAIN = 700; // ms between two looks at a replay

export function show(root, app) {
  const rows = h('tbody'), note = h('p', {class: 'faint', role: 'status'}), place = h('div', {class: 'opened', tabindex: -1});
  let close = null, list = [], over = false, opening = 0;
  const again = h('button', {type: 'button', onclick: () => load()}, t('recordings.refresh'));
  const shelf = h('div', {class: 'scroll shelf', hidden: true}, h('table', {}, h('thead', {}, h('tr', {}, ['name', 'date', 'length', 'utterances', 'expected'].map((name, index) =>
      h('th', {scope: 'col', class: index > 1 && index < 4 ? 'number' : null}, t(`recordings.${name}`))))), rows));
  root.append(h('section', {class: 'card'}, h('div', {class: 'head'}, h('h2', {}, t('recordings.title')), again), note, shelf), place);

  const load = async () => {
    note.textContent = t('recordings.reading');
    const answer = await app.get('api/recordings');
    if (over) return;
    list = answer.recordings ?? [];
    shelf.hidden = list.length === 0;
    note.textContent = answer.ok ? (list.length ? '' : t('recordings.empty')) : answer.message || t('not_connected');
    fill(rows, list.map(each => h('tr', {},
      h('th', {scope: 'row'}, h('button', {type: 'button', class: 'link', onclick: () => open(each)}, each.name), each.problem && h('p', {class: 'faint'}, each.problem)),
      h('td', {}, new Date(each.date).toLocaleString()), h('td', {class: 'number'}, clock(each.seconds)), h('td', {class: 'number'}, String(each.utterances)),
      h('td', {}, each.expected !== null && h('span', {class: `pill ${each.expected ? 'good' : 'bad'}`}, t(each.expected ? 'recordings.as' : 'recordings.not_as'))))));
  };
  const open = async ({id, name}) => {
    const mine = ++opening;
    close?.();
    close = null;
    fill(place, h('p', {class: 'faint', role: 'status'}, t('recordings.opening', {name})));
    const {recording, events, message} = await opened(app, id);
    if (over || mine !== opening) return;
    if (!recording) {
      fill(place, h('p', {class: 'alert'}, message || t('not_connected')));
      return;
    }
    close = showOpened(place, app, recording, events, list.filter(each => each.id !== id));
    place.focus({preventScroll: true});
    place.scrollIntoView({block: 'start'});
  };
  load();
  return () => { over = true; close?.(); };
}

// The recording of that id with its events, or {message}.
async function opened(app, id) {
  const recording = await app.get(`api/recordings/${id}`);
  const events = recording.ok ? await app.get(`api/recordings/${id}/events`) : [];
  return recording.ok && Array.isArray(events) ? {recording, events} : {message: recording.message || events.message};
}

function showOpened(root, app, recording, events, others) {
  const stage = h('div', {class: 'stage'}), result = h('section', {class: 'card', hidden: true, 'aria-live': 'polite'});
  const other = h('select', {'aria-label': t('recordings.other')}, others.map(each => h('option', {value: each.id}, each.name)));
  const compare = h('button', {type: 'button'}, t('recordings.compare')), replay = h('button', {type: 'button'}, t('recordings.replay'));
  const controls = h('div', {class: 'controls'}, replay, others.length > 0 && [compare, other]);
  fill(root,
    h('h2', {}, recording.name, recording.report && [' ', h('a', {href: `api/recordings/${recording.id}/report`, target: '_blank', rel: 'noopener'}, t('recordings.report'))]),
    recording.problems.map(problem => h('p', {class: 'faint'}, problem)), stage,
    recording.marks.length > 0 && sentences(recording, mark => player.seek(mark)),
    h('section', {class: 'card'}, controls), result);
  let player = showPlayer(stage, app, recording, events);
  const alone = h('button', {type: 'button', hidden: true, onclick: () => play(showPlayer, recording, events)}, t('recordings.alone'));
  controls.append(alone);
  const play = (show, ...what) => {
    player.close();
    player = show(stage, app, ...what);
    alone.hidden = show === showPlayer;
    if (show === showPlayer) { watching++; result.hidden = true; }
    root.scrollIntoView({block: 'start'});
  };
  let watching = 0; // a number that changes when something else is shown
  compare.addEventListener('click', async () => {
    const mine = ++watching, answer = await app.get(`api/recordings/${recording.id}/against/${other.value}`);
    if (mine !== watching) return;
    const second = answer.ok ? await opened(app, other.value) : {};
    if (mine !== watching) return;
    result.hidden = false;
    const refused = [answer, second].find(each => each.message && !each.ok);
    if (!answer.ok || !second.recording) { fill(result, h('p', {}, refused?.message || t('not_connected'))); return; }
    fill(result, versus(answer.names, answer.rows));
    play(showTogether, [{recording, events}, second], answer.rows);
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
