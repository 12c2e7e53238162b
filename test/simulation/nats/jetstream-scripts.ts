import { connectWithHeaders, hpub, pub, type Script } from './scripts.js'

/** The streams remain on the server: each script has one of its own. */
const createStream = (name: string, subjects: string): string =>
  pub(
    `$JS.API.STREAM.CREATE.${name} inbox`,
    JSON.stringify({
      ...{
        name,
        subjects: [subjects],
        retention: 'limits',
        storage: 'file',
        discard: 'old',
        num_replicas: 1,
      },
      ...{ max_age: 3_600_000_000_000, duplicate_window: 120_000_000_000 },
    }),
  )

const infoOf = (name: string): string => pub(`$JS.API.STREAM.INFO.${name} inbox`, '')

const start = [
  ['a', connectWithHeaders],
  ['a', 'SUB inbox 1'],
] as const

/** What the history of a gateway needs of JetStream. */
export const jetStreamScripts: readonly Script[] = [
  {
    title: 'creates a stream, and finds it',
    hasJetStream: true,
    steps: [
      ...start,
      ['a', infoOf('created')],
      ['a', pub('created.x inbox', 'nothing stores it')],
      ['a', createStream('created', 'created.>')],
      ['a', createStream('created', 'created.>')],
      ['a', createStream('created', 'others.>')],
      ['a', infoOf('created')],
      ['a', pub('others.x inbox', 'nothing stores it')],
    ],
  },
  {
    title: 'acknowledges what a stream stores, and delivers it to subscriptions',
    hasJetStream: true,
    steps: [
      ...start,
      ['b', 'SUB acks.> 1'],
      ['a', createStream('acks', 'acks.>')],
      ['a', pub('acks.x inbox', 'first')],
      ['b', pub('acks.y', 'without a reply')],
      ['a', hpub('acks.x inbox', { 'Nats-Expected-Stream': 'acks' }, 'third')],
      ['a', hpub('acks.x inbox', { 'Nats-Expected-Stream': 'other' }, 'not stored')],
      ['a', infoOf('acks')],
    ],
  },
  {
    title: 'stores a message with the same identifier once',
    hasJetStream: true,
    steps: [
      ...start,
      ['a', createStream('ids', 'ids.>')],
      ['a', hpub('ids.x inbox', { 'Nats-Msg-Id': 'one' }, 'first')],
      ['a', hpub('ids.x inbox', { 'Nats-Msg-Id': 'two' }, 'second')],
      ['a', hpub('ids.x inbox', { 'Nats-Msg-Id': 'one' }, 'first again')],
      ['a', hpub('ids.y inbox', { 'Nats-Msg-Id': 'one' }, 'on another subject')],
      ['a', infoOf('ids')],
    ],
  },
  {
    title: 'stores a message only if it follows the expected one of its subject',
    hasJetStream: true,
    steps: [
      ...start,
      ['a', createStream('after', 'after.>')],
      ['a', hpub('after.x inbox', { 'Nats-Expected-Last-Subject-Sequence': '0' }, 'first')],
      ['a', hpub('after.x inbox', { 'Nats-Expected-Last-Subject-Sequence': '0' }, 'too late')],
      ['a', hpub('after.y inbox', { 'Nats-Expected-Last-Subject-Sequence': '0' }, 'of another subject')],
      ['a', hpub('after.x inbox', { 'Nats-Expected-Last-Subject-Sequence': '1' }, 'third')],
      ['a', hpub('after.x inbox', { 'Nats-Expected-Last-Subject-Sequence': '9' }, 'unknown')],
      // A repeated message is recognised before its place is checked.
      [
        'a',
        hpub('after.y inbox', { 'Nats-Msg-Id': 'id', 'Nats-Expected-Last-Subject-Sequence': '2' }, '4th'),
      ],
      [
        'a',
        hpub('after.y inbox', { 'Nats-Msg-Id': 'id', 'Nats-Expected-Last-Subject-Sequence': '2' }, '4th'),
      ],
      [
        'a',
        hpub('after.y inbox', { 'Nats-Msg-Id': 'id', 'Nats-Expected-Stream': 'other' }, 'of another stream'),
      ],
      ['a', infoOf('after')],
    ],
  },
]
