// The frame of the page: tabs, states, alerts, and the button that stops the robot.

import {Connection, call} from './connection.js';
import {fill, h, loadTexts, t} from './dom.js';

const PATIENCE = 5000; // ms until a robot that runs has reported
const VIEWS = ['talk', 'home', 'recordings', 'robot']; // each a module with `show(root, app)`; it may return a function that ends it

await loadTexts();
const connection = new Connection();
const toasts = h('div', {id: 'toasts', role: 'status'});
document.body.append(toasts);

export const app = {
  connection, t,
  ask: async request => {
    const answer = await connection.ask(request);
    if (!answer.ok) toast(answer.message || t('not_connected'));
    return answer;
  },
  get: path => call('GET', path),
  post: (path, body) => call('POST', path, body),
  toast,
};

function toast(text) {
  const shown = h('p', {class: 'toast'}, text);
  toasts.append(shown);
  setTimeout(() => shown.remove(), 6000);
}

// Tabs. The address keeps the open one: #robot.
let close = null;
async function open() {
  const name = VIEWS.includes(location.hash.slice(1)) ? location.hash.slice(1) : VIEWS[0];
  fill(document.getElementById('tabs'), VIEWS.map(each =>
    h('a', {href: `#${each}`, 'aria-current': each === name ? 'page' : null}, t(`tabs.${each}`))));
  close?.();
  close = null;
  const root = document.getElementById('view');
  fill(root);
  const module = await import(`./${name}.js`);
  close = (await module.show(root, app)) ?? null;
}
addEventListener('hashchange', open);

// The button. Esc presses it as well.
const stop = document.getElementById('stop');
stop.textContent = t('stop');
stop.title = t('stop_hint');
stop.addEventListener('pointerdown', event => { event.preventDefault(); connection.stop(); });
stop.addEventListener('click', () => connection.stop()); // by keyboard or screen reader
addEventListener('keydown', event => { if (event.key === 'Escape') connection.stop(); });

// States and alerts.
const alerts = document.getElementById('alerts'), state = document.getElementById('state');
let alone = false; // no node of a robot reports
function showState() {
  const {connected = false, reason = ''} = connection.get('connected') ?? {};
  const stopped = connection.get('stopped') === true, words = [];
  if (connected && !alone) words.push(t(stopped ? 'state.stopped' : 'state.ready'));
  if (connected && connection.get('speaking')) words.push(t('state.speaking'));
  else if (connected && connection.get('listening')) words.push(t('state.listening'));
  fill(state, words.map(word => h('span', {class: `pill ${stopped ? 'bad' : 'good'}`}, word)));
  fill(alerts,
    connection.get('unstopped') && h('p', {class: 'alert'}, t('unstopped')),
    !connected && h('p', {class: 'alert'}, t('not_connected'), reason && ` ${reason}`),
    connected && alone && h('p', {class: 'alert soft'}, t('no_robot')),
    connected && stopped && h('p', {class: 'alert soft'}, h('span', {}, t('stopped')),
      h('button', {type: 'button', onclick: () => app.ask({do: 'resume'})}, t('resume'))));
}
setInterval(() => {
  const before = alone;
  alone = performance.now() > PATIENCE && Object.keys(connection.get('nodes') ?? {}).every(name => name === 'web_console');
  if (alone !== before) showState();
}, 1000);
for (const key of ['connected', 'stopped', 'speaking', 'listening', 'unstopped']) connection.on(key, showState);
open();
