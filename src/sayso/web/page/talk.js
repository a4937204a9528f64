// The tab Talk: speak or type, see what the robot thinks, and where everything is.

import {fill, h, t} from './dom.js';
import {showStories} from './stories.js';
import {showMap} from './map.js';
import {Microphone} from './microphone.js';

export function show(root, app) {
  const {connection} = app, ends = [];
  const microphone = new Microphone(samples => connection.hear(samples));
  const left = h('section', {class: 'column', 'aria-label': t('tabs.talk')}), right = h('section', {class: 'column', 'aria-label': t('map.title')});
  root.append(h('div', {class: 'columns'}, left, right));

  // Speak
  const level = h('i'), track = h('div', {class: 'track level', 'aria-hidden': 'true'}, level), why = h('p', {class: 'faint', role: 'status'}), partial = h('p', {class: 'partial', 'aria-live': 'polite'});
  const button = h('button', {type: 'button', class: 'hold', 'aria-pressed': 'false'}, t('talk.hold'));
  const free = h('button', {type: 'button', 'aria-pressed': 'false'}, t('talk.free'));
  let talking = false, kept = false; // kept: until "Listen no longer"
  let silent = ''; // why the page may not talk
  const offer = () => { // where the robot hears by itself, a button to be heard would only be refused
    for (const each of [button, free, track]) each.hidden = silent !== '' && !talking;
    if (!talking) why.textContent = silent.charAt(0).toUpperCase() + silent.slice(1);
  };
  const press = async held => {
    if (held === talking) return;
    talking = held;
    if (held) {
      const problem = await microphone.start();
      const answer = problem ? {ok: false, message: t(`talk.${problem}`)} : await connection.ask({do: 'talk', held: true});
      if (!answer.ok || !talking) {
        microphone.mute();
        if (answer.ok) connection.ask({do: 'talk', held: false});
        talking = false;
        why.textContent = answer.ok ? '' : answer.message || t('not_connected');
      } else {
        why.textContent = kept ? t('talk.kept') : '';
        microphone.open();
      }
    } else {
      kept = false;
      offer();
      await microphone.mute();
      connection.ask({do: 'talk', held: false});
    }
    button.classList.toggle('held', talking);
    button.setAttribute('aria-pressed', String(talking));
    button.textContent = t(talking ? (kept ? 'talk.listens' : 'talk.release') : 'talk.hold');
    if (!talking) kept = false; // it could not begin
    free.setAttribute('aria-pressed', String(kept));
    free.textContent = t(kept ? 'talk.end' : 'talk.free');
  };
  button.addEventListener('pointerdown', event => { button.setPointerCapture(event.pointerId); press(true); });
  for (const end of ['pointerup', 'pointercancel']) button.addEventListener(end, () => press(false));
  button.addEventListener('contextmenu', event => event.preventDefault());
  free.addEventListener('click', async () => {
    kept = !talking;
    await press(!talking);
  });
  // The space bar, unless it is for a field or a button that has the focus.
  const forTalking = event => event.code === 'Space' && (event.target === document.body || event.target === button || event.target.id === 'view');
  const down = event => { if (forTalking(event)) { event.preventDefault(); if (!event.repeat) press(true); } };
  const up = event => { if (forTalking(event)) { event.preventDefault(); press(false); } };
  addEventListener('keydown', down);
  addEventListener('keyup', up);
  const away = () => press(false);
  addEventListener('blur', away);
  microphone.ondeaf = deaf => { why.textContent = deaf ? t('talk.deaf') : kept ? t('talk.kept') : ''; };
  microphone.onlevel = value => level.style.setProperty('width', `${100 * value}%`);

  // Type
  const field = h('input', {type: 'text', name: 'sentence', maxlength: 500, autocomplete: 'off', enterkeyhint: 'send', 'aria-label': t('talk.type'), placeholder: t('talk.type')});
  const form = h('form', {class: 'type'}, field, h('button', {type: 'submit'}, t('talk.send')));
  form.addEventListener('submit', async event => {
    event.preventDefault();
    const text = field.value.trim();
    if (text && (await app.ask({do: 'say', text})).ok) field.value = '';
  });
  const examples = h('ul', {class: 'examples'});
  const question = h('section', {class: 'card ask-card', hidden: true, role: 'group', 'aria-label': t('talk.question')});
  left.append(
    h('section', {class: 'card talk'}, h('div', {class: 'speak'}, button, free), track, why, partial, form,
      h('details', {}, h('summary', {}, t('talk.examples')), examples)),
    question);
  ends.push(connection.on('partial', text => { partial.textContent = text ?? ''; }));
  ends.push(connection.on('home', home => fill(examples, (home?.examples ?? []).map(text =>
    h('li', {}, h('button', {type: 'button', class: 'link', onclick: () => { field.value = text; field.focus(); }}, text))))));
  ends.push(connection.on('silent', reason => { silent = reason ?? ''; offer(); }));
  ends.push(connection.on('page', page => {
    for (const each of [button, free, field, form.lastChild]) each.disabled = page?.read_only === true;
  }));

  // The robot's question, with an answer under each thumb
  ends.push(connection.on('question', asked => {
    question.hidden = !asked;
    if (!asked) return fill(question);
    const answer = text => app.ask({do: 'answer', text, utterance_id: asked.id});
    const buttons = asked.options.length
      ? [...asked.options.map((option, index) => [option, String(index + 1)]), [t('talk.none'), 'no']]
      : [[t('talk.yes'), 'yes'], [t('talk.no'), 'no']];
    fill(question, h('p', {class: 'asked'}, asked.text),
      h('div', {class: 'answers'}, buttons.map(([label, text]) => h('button', {type: 'button', class: 'large', onclick: () => answer(text)}, label))));
  }));

  ends.push(showStories(left, app, text => { field.value = text; field.focus(); }));
  ends.push(showMap(right, app));

  // What the camera sees
  const camera = h('img', {alt: t('camera.now')}), attention = h('img', {alt: t('camera.attention')});
  const seen = h('section', {class: 'card pictures', hidden: true}, h('figure', {}, camera, h('figcaption', {}, t('camera.now'))),
    h('figure', {hidden: true}, attention, h('figcaption', {}, t('camera.attention'))));
  right.append(seen);
  ends.push(connection.on('camera', url => { if (url) { camera.src = url; seen.hidden = false; } }));
  ends.push(connection.on('attention', url => { if (url) { attention.src = url; attention.parentElement.hidden = false; } }));

  return () => {
    press(false);
    microphone.close();
    removeEventListener('keydown', down);
    removeEventListener('keyup', up);
    removeEventListener('blur', away);
    for (const end of ends) end();
  };
}
