/** What one client does, by its name. A client connects at its first step. */
export type ScriptStep =
  | readonly [client: string, send: string]
  /** It reads no longer, and then again. */
  | readonly [client: string, action: 'pause' | 'resume']
  /** The server ends the connection. */
  | readonly [client: string, action: 'is closed']
  /** It answers no ping of the server. */
  | readonly [client: string, action: 'mute']

/** Scripts whose results the simulated server and the real one share. The words are those of the protocol of NATS. */
export interface Script {
  readonly title: string
  /** The server that has users. */
  readonly hasUsers?: true
  readonly steps: readonly ScriptStep[]
}

const plain = '{"verbose":false,"pedantic":false'
/** The first command of a client, unless its script has another one. */
export const connect = `CONNECT ${plain}}`
export const connectWithHeaders = `CONNECT ${plain},"headers":true,"no_responders":true}`
const connectAs = (user: string, pass = 'secret'): string =>
  `CONNECT ${plain},"headers":true,"no_responders":true,"user":"${user}","pass":"${pass}"}`

/** A publication of a text. `words`: the subject, and the subject of replies. */
export const pub = (words: string, text: string): string => `PUB ${words} ${text.length}\r\n${text}`

/** A publication with headers, which begins with `words` like `pub`. */
export const hpub = (words: string, headers: Readonly<Record<string, string>>, text: string): string => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `NATS/1.0\r\n${lines.join('')}\r\n`
  return `HPUB ${words} ${head.length} ${head.length + text.length}\r\n${head}${text}`
}

/** The limit of the server, in bytes. */
export const maxPayload = 65_536

export const scripts: readonly Script[] = [
  {
    title: 'delivers to each subscription that matches, also to that of the sender',
    steps: [
      ['a', 'SUB prices.x 7'],
      ['b', 'SUB prices.* 1'],
      ['c', 'SUB prices.> 9'],
      ['a', pub('prices.x', 'first')],
      ['b', pub('prices.x.y', 'deeper')],
      ['c', pub('prices', 'shorter')],
      ['c', pub('Prices.x', 'upper case')],
      ['c', `${pub('prices.x', 'two in')}\r\n${pub('prices.z', 'one write')}`],
    ],
  },
  {
    title: 'matches wildcards of whole tokens only',
    steps: [
      ['a', 'SUB *.b.* 1'],
      ['b', 'SUB a.*.> 2'],
      ['c', 'SUB > 3'],
      ['d', pub('a.b.c', '1')],
      ['d', pub('a.b', '2')],
      ['d', pub('x.b.c', '3')],
      ['d', pub('a.x.c.d', '4')],
      ['d', pub('aa.bb.cc', '5')],
    ],
  },
  {
    title: 'keeps the order of the messages of one sender',
    steps: [
      ['b', 'SUB n.* 1'],
      ['a', [1, 2, 3, 4, 5, 6].map((n) => pub(`n.${n % 2}`, `${n}`)).join('\r\n')],
    ],
  },
  {
    title: 'ends a subscription at once, or after a number of messages',
    steps: [
      ['b', 'SUB s 1\r\nSUB s 2\r\nUNSUB 1'],
      ['b', 'SUB t 3\r\nUNSUB 3 2'],
      ['a', `${pub('t', '1')}\r\n${pub('t', '2')}\r\n${pub('t', '3')}`],
      ['a', pub('s', '4')],
      ['b', 'SUB u 4'],
      ['a', pub('u', '5')],
      // It has received as many.
      ['b', 'UNSUB 4 1\r\nUNSUB 99'],
      ['a', pub('u', '6')],
    ],
  },
  {
    title: 'keeps the first subscription of an identifier',
    steps: [
      ['a', 'SUB one 1\r\nSUB two 1'],
      ['b', `${pub('one', '1')}\r\n${pub('two', '2')}`],
    ],
  },
  {
    title: 'passes replies and headers on',
    steps: [
      ['a', connectWithHeaders],
      ['b', connectWithHeaders],
      ['a', 'SUB service 1'],
      ['b', 'SUB inbox.b 5'],
      ['b', pub('service inbox.b', 'question')],
      ['a', pub('inbox.b', 'answer')],
      ['b', 'HPUB service inbox.b 20 24\r\nNATS/1.0\r\nA: bcd\r\n\r\nbody'],
    ],
  },
  {
    title: 'answers a request that no client receives, if the sender understands it',
    steps: [
      ['a', connectWithHeaders],
      ['a', 'SUB inbox.a 1'],
      ['b', 'SUB inbox.b 1'],
      ['a', pub('nobody inbox.a', 'hello?')],
      ['b', pub('nobody inbox.b', 'hello?')],
      // The inbox is that of another client.
      ['a', pub('nobody inbox.b', 'hello?')],
      ['a', pub('inbox.a inbox.a', 'to itself')],
    ],
  },
  {
    title: 'does not send a client its own messages if it wants none',
    steps: [
      ['a', `CONNECT ${plain},"echo":false,"headers":true,"no_responders":true}`],
      ['a', 'SUB s 1\r\nSUB inbox 2'],
      ['b', 'SUB s 1'],
      ['a', pub('s', 'own')],
      ['b', pub('s', 'of another client')],
      ['a', pub('inbox inbox', 'own request')],
    ],
  },
  {
    title: 'refuses an invalid subject of a subscription',
    steps: [
      ['a', 'SUB a..b 1'],
      ['a', 'SUB a.>.b 2'],
      ['a', 'SUB .a 3'],
      ['a', 'SUB a*.b 4'],
      ['b', pub('a*.b', 'no wildcard')],
      ['b', pub('axx.b', 'not received')],
    ],
  },
  {
    title: 'ends a connection with a message above the limit, and no other one',
    steps: [
      ['b', 'SUB s 1'],
      ['a', pub('s', 'x'.repeat(maxPayload))],
      ['a', `PUB s ${maxPayload + 1}\r\nx`],
      ['a', 'is closed'],
      ['c', pub('s', 'next')],
    ],
  },
  {
    title: 'ends a connection with an unknown operation',
    steps: [
      ['a', 'SUBSCRIBE s'],
      ['a', 'is closed'],
      ['b', pub('s', 'next')],
    ],
  },
  {
    title: 'ends a connection with a line that is too long',
    steps: [
      ['a', `SUB ${'s'.repeat(5_000)} 1`],
      ['a', 'is closed'],
    ],
  },
  {
    title: 'ends the connection of a client that does not read, and no other one',
    steps: [
      ['b', 'SUB s 1'],
      ['b', 'pause'],
      ['a', Array.from({ length: 256 }, () => pub('s', 'x'.repeat(maxPayload))).join('\r\n')],
      ['b', 'resume'],
      ['b', 'is closed'],
      ['c', 'SUB s 1'],
      ['a', pub('s', 'next')],
    ],
  },
  {
    title: 'refuses an unknown user, and a client without one',
    hasUsers: true,
    steps: [
      ['a', connectAs('alice', 'wrong')],
      ['a', 'is closed'],
      ['b', 'SUB s 1'],
      ['b', 'is closed'],
    ],
  },
  {
    title: 'refuses what a user may not do, and keeps the connection',
    hasUsers: true,
    steps: [
      ['g', connectAs('gateway')],
      ['a', connectAs('alice')],
      ['g', 'SUB svc.gateways 1'],
      ['a', 'SUB svc.gateways 1'],
      ['a', 'SUB _INBOX.> 2\r\nSUB > 3'],
      ['a', 'SUB _INBOX.alice.x 4\r\nSUB svc.price.*.0xa 5'],
      ['a', pub('svc.price.g.0xa', 'forged')],
      ['a', pub('svc.gateways _INBOX.alice.x', '')],
      ['g', pub('svc.price.g.0xa', 'price')],
      ['g', pub('_INBOX.alice.x', 'ready')],
    ],
  },
  {
    title: 'ends a connection that answers no ping',
    hasUsers: true,
    steps: [
      ['a', connectAs('alice')],
      ['a', 'mute'],
      ['a', 'is closed'],
    ],
  },
]
