// Each utterance on its way through the stages: heard, meant, decided, planned, seen, done. A card opens to the numbers.

import {bar, fill, h, percent, spaced, t} from './dom.js';

const SHOWN = 0.005; // less probable intents and actions are left out

export function showStories(root, app, retype) {
  const {connection} = app, cards = new Map(); // utterance → its card
  const filter = h('input', {type: 'search', 'aria-label': t('stories.filter'), placeholder: t('stories.filter')});
  const list = h('div', {class: 'stories', role: 'log', 'aria-live': 'polite', 'aria-relevant': 'additions'});
  const said = h('p', {class: 'said', 'aria-live': 'polite'});
  const empty = h('p', {class: 'faint'}, t('stories.empty'));
  root.append(said, h('div', {class: 'head stories-head'}, h('h2', {}, t('stories.title')), filter), empty, list);
  const matches = story => (story.heard?.text ?? '').includes(filter.value.trim().toLowerCase());
  filter.addEventListener('input', () => { for (const [story, card] of cards.values()) card.hidden = !matches(story); });
  const endSaid = connection.on('said', lines => { said.textContent = lines?.length ? t('stories.robot', {text: lines.at(-1)}) : ''; });
  const end = connection.on('utterance/', (story, key) => {
    const [, before] = cards.get(key) ?? [];
    if (story === null) {
      before?.remove();
      cards.delete(key);
      return;
    }
    empty.hidden = true;
    const card = storyCard(story, app, retype, before);
    card.hidden = !matches(story);
    cards.set(key, [story, card]);
    if (before) before.replaceWith(card);
    else if ([...cards.values()].every(([each]) => each.stamp <= story.stamp)) list.prepend(card);
    else list.append(card); // what was there before this page comes in no order
  });
  const endReset = connection.on('connected', () => { // everything comes anew after a break
    if (connection.values.size <= 1) { cards.clear(); fill(list); }
  });
  return () => { end(); endSaid(); endReset(); };
}

function storyCard(story, app, retype, before) {
  const {heard, meant, decided, plan, seen, outcome} = story;
  const open = new Set([...(before?.querySelectorAll('details[open]') ?? [])].map(each => each.dataset.part)); // keep what is open
  const part = (name, title, ...content) =>
    h('details', {'data-part': name, open: open.has(name)}, h('summary', {}, title), h('div', {class: 'part'}, content));
  const [word, look] = verdict(story);
  return h('article', {class: 'card story'},
    h('div', {class: 'head'}, h('h3', {}, heard?.text ? `“${heard.text}”` : story.id.startsWith('task') ? t('stories.task') : t('stories.nothing')),
      h('span', {class: `pill ${look}`}, word)),
    (outcome?.reason || decided?.question || decided?.reason) && h('p', {}, outcome?.reason || decided?.question || decided?.reason),
    heard?.rejected && h('p', {class: 'faint'}, heard.rejected),
    heard?.sound && h('audio', {controls: true, preload: 'none', src: heard.sound === true ? `api/sound/${encodeURIComponent(story.id)}` : heard.sound}),
    h('div', {class: 'stages'},
      heard && heard.alternatives.length > 0 && part('heard', t('stories.heard', {p: percent(heard.confidence)}),
        h('div', {class: 'bars'}, heard.alternatives.slice(0, 6).map(each => bar(each.text, each.p)))),
      meant && meant.clauses.length > 0 && part('meant', t('stories.meant', {intents: meant.clauses.map(each => spaced(each.intent)).join(', ')}), meant.clauses.map(showClause)),
      decided && part('decided', t('stories.decided', {decision: t(`decision.${decided.decision}`)}), showDecision(decided)),
      plan && part('plan', t('stories.plan', {status: t(`plan.${plan.status}`)}), showPlan(plan)),
      seen && part('seen', t('stories.seen'), seen.map(each => h('p', {}, t(each.found ? 'stories.found' : 'stories.missed', {phrase: each.phrase, p: percent(each.p)})))),
      outcome?.seconds != null && h('p', {class: 'faint'}, t('stories.took', {seconds: outcome.seconds.toFixed(1)}))),
    h('div', {class: 'actions'},
      app.ask && ['running', 'asking'].includes(plan?.status) && !outcome && h('button', {type: 'button', onclick: () => app.ask({do: 'cancel', utterance_id: story.id})}, t('stories.cancel')),
      retype && heard?.text && h('button', {type: 'button', onclick: () => retype(heard.text)}, t('stories.again')),
      retype && decided && h('button', {type: 'button', onclick: () => retype(t('stories.correction'))}, t('stories.correct'))));
}

// One word for how it stands, and its colour.
function verdict({heard, decided, plan, outcome}) {
  if (outcome) return outcome.succeeded ? [t('outcome.done'), 'good'] : [t('outcome.not_done'), 'bad'];
  if (plan) return [t(`plan.${plan.status}`), 'execute'];
  if (decided) return [t(`decision.${decided.decision}`), decided.decision];
  return heard?.rejected ? [t('decision.ignored'), 'reject'] : [t('stories.thinking'), 'ask'];
}

function showClause(clause) {
  const intents = Object.entries(clause.probabilities).filter(([, p]) => p >= SHOWN).sort((a, b) => b[1] - a[1]).slice(0, 6);
  return [h('h4', {}, `“${clause.text}”`), h('div', {class: 'bars'}, intents.map(([name, p]) => bar(spaced(name), p))),
    clause.roles.length > 0 && h('table', {}, clause.roles.map(role =>
      h('tr', {}, h('th', {scope: 'row'}, spaced(role.role)), h('td', {}, `“${role.said}”`), h('td', {}, spaced(role.means || '?'))))),
    clause.in_words.length > 0 && h('p', {}, clause.in_words.join(', ')),
    clause.out_of_scope > 0 && h('p', {class: 'faint'}, t('stories.strange', {nats: clause.out_of_scope.toFixed(1)}))];
}

function showDecision(decided) {
  const shown = decided.candidates.filter(each => each.posterior >= SHOWN || decided.candidates.length < 3);
  return [decided.reason && h('p', {}, decided.reason), decided.then && h('p', {}, t('stories.then', {then: decided.then})),
    shown.length > 0 && h('div', {class: 'scroll'}, h('table', {class: 'candidates'},
      h('tr', {}, ['action', 'prior', 'likelihood', 'posterior', 'utility'].map((name, index) => h('th', {scope: 'col', class: index ? 'number' : null}, t(`stories.${name}`)))),
      shown.map(each => h('tr', {title: Object.entries(each.factors).map(([name, factor]) => `${name}: ×${factor.toPrecision(3)}`).join('\n') || null},
        h('th', {scope: 'row'}, each.in_words), h('td', {class: 'number'}, each.prior.toFixed(3)), h('td', {class: 'number'}, each.likelihood.toPrecision(3)),
        h('td', {class: 'number'}, percent(each.posterior)), h('td', {class: 'number'}, each.utility.toFixed(2)))))),
    Object.keys(decided.utilities).length > 0 && h('p', {class: 'faint'},
      t('stories.utilities', {all: Object.entries(decided.utilities).map(([name, value]) => `${t(`decision.${name}`)} ${value.toFixed(2)}`).join(', ')})),
    decided.notes.map(note => h('p', {class: 'faint'}, note))];
}

function showPlan(plan) {
  const call = ({skill, arguments: given}) => `${spaced(skill)}${Object.values(given).length ? `: ${Object.values(given).map(spaced).join(', ')}` : ''}`;
  return [h('ol', {class: 'steps'}, plan.done.map(each => h('li', {class: 'did'}, call(each))),
    plan.ahead.map((each, index) => h('li', {class: index ? 'will' : 'does', 'aria-current': index ? null : 'step'}, call(each)))),
    plan.p_done !== null && h('p', {class: 'faint'}, t('stories.p_done', {p: percent(plan.p_done)})),
    plan.value !== null && h('p', {class: 'faint'}, plan.bound === null ? t('stories.value', {value: plan.value.toFixed(2)})
      : t('stories.value_bound', {value: plan.value.toFixed(2), bound: plan.bound.toFixed(2)}))];
}
