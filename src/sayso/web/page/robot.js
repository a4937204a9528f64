// The tab Robot: how each node is, and what is kept for later.

import {fill, h, t} from './dom.js';

const FINDINGS = {ok: 'good', warning: 'ask', error: 'bad'};
const LEVELS = ['good', 'ask', 'bad', 'bad'];

export function show(root, app) {
  const {connection} = app, rows = h('tbody'), tasks = h('div'), findings = h('div', {'aria-live': 'polite'});
  const examine = async event => {
    event.target.disabled = true;
    fill(findings, h('p', {class: 'faint'}, t('robot.examining')));
    const answer = await app.get('api/doctor');
    event.target.disabled = false;
    fill(findings, answer.ok ? h('ul', {class: 'findings'}, answer.findings.map(({level, subject, text, remedy}) =>
      h('li', {}, h('span', {class: `pill ${FINDINGS[level]}`}, t(`robot.${level}`)), ` ${subject}: ${text}`, remedy && h('p', {class: 'faint'}, remedy))))
      : h('p', {class: 'faint'}, answer.message || t('not_connected')));
  };
  root.append(
    h('section', {class: 'card'}, h('h2', {}, t('robot.tasks')), tasks),
    h('section', {class: 'card'}, h('h2', {}, t('robot.installation')), h('p', {}, h('button', {type: 'button', onclick: examine}, t('robot.examine'))), findings),
    h('section', {class: 'card'}, h('h2', {}, t('robot.nodes')), h('div', {class: 'scroll'}, h('table', {class: 'nodes'},
      h('thead', {}, h('tr', {}, ['node', 'state', 'calls', 'last', 'longest', 'processor'].map((name, index) => h('th', {scope: 'col', class: index > 1 ? 'number' : null}, t(`robot.${name}`))))), rows))));

  const open = new Set();
  const end = connection.on('nodes', nodes => {
    fill(rows, Object.entries(nodes ?? {}).sort().flatMap(([name, {level, message, values}]) => [
      h('tr', {}, h('th', {scope: 'row'}, h('button', {type: 'button', class: 'link', 'aria-expanded': String(open.has(name)), onclick: event => {
        if (!open.delete(name)) open.add(name);
        event.target.setAttribute('aria-expanded', String(open.has(name)));
        event.target.closest('tr').nextElementSibling.hidden = !open.has(name);
      }}, name)), h('td', {}, h('span', {class: `pill ${LEVELS[level] ?? 'bad'}`}, message)), h('td', {class: 'number'}, values.calls ?? ''),
        ['last call (ms)', 'longest call (ms)', 'processor (%)'].map(key => h('td', {class: 'number'}, values[key] ?? ''))),
      h('tr', {class: 'more', hidden: !open.has(name)}, h('td', {colspan: 6}, h('dl', {}, Object.entries(values).filter(([, value]) => value).map(([key, value]) => [h('dt', {}, key), h('dd', {}, value)])))),
    ]));
  });

  const list = async () => {
    const answer = await connection.ask({do: 'tasks'});
    const entries = answer.entries ?? [];
    fill(tasks, !answer.ok && h('p', {class: 'faint'}, answer.message || t('not_connected')),
      answer.ok && entries.length === 0 && h('p', {class: 'faint'}, t('robot.no_tasks')),
      entries.length > 0 && h('ul', {class: 'tasks'}, entries.map(entry => h('li', {}, h('span', {}, `${entry.what} (${entry.when || entry.state})`),
        h('button', {type: 'button', onclick: async () => { await app.ask({do: 'tasks', command: 'take_back', entry: entry.id}); list(); }}, t('robot.take_back'))))));
  };
  list();
  const again = setInterval(list, 5000);
  return () => { end(); clearInterval(again); };
}
