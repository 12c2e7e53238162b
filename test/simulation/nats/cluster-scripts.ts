import { connectWithHeaders, pub } from './scripts.js'

/** The index of a server of the cluster. */
export type ServerIndex = 0 | 1 | 2

/** What happens in a cluster. */
export type ClusterStep =
  /** What one client sends. It connects at its first step, to the server that its name ends with: `a0`. */
  | readonly [client: `${string}${ServerIndex}`, send: string]
  /** The network between two servers fails, and works again. */
  | readonly [action: 'cut' | 'heal', between: readonly [ServerIndex, ServerIndex]]
  /** The process of a server dies, and is started again. */
  | readonly [action: 'kill' | 'start', server: ServerIndex]

export interface ClusterScript {
  readonly title: string
  readonly steps: readonly ClusterStep[]
}

/** A client that reads what the server sends about the cluster. */
const connectWithProtocol = 'CONNECT {"verbose":false,"pedantic":false,"protocol":1}'

/** Scripts whose results three simulated servers and three real ones share. */
export const clusterScripts: readonly ClusterScript[] = [
  {
    title: 'deliver to the clients of all servers, once and in order',
    steps: [
      ['a0', 'SUB s.> 1'],
      ['b1', 'SUB s.* 1'],
      ['c2', 'SUB s.x 1'],
      ['a0', [1, 2, 3, 4].map((n) => pub(`s.${n % 2 === 0 ? 'x' : 'y'}`, `${n}`)).join('\r\n')],
      ['b1', pub('s.x', 'from the second')],
      ['c2', pub('s.z', 'from the third')],
      ['c2', pub('t', 'nobody wants it')],
    ],
  },
  {
    title: 'answer a request at another server, and one that no client of the cluster receives',
    steps: [
      ['a0', connectWithHeaders],
      ['b1', connectWithHeaders],
      ['b1', 'SUB service 1'],
      ['a0', `SUB inbox.a 5\r\n${pub('service inbox.a', 'question')}`],
      ['b1', pub('inbox.a', 'answer')],
      ['a0', 'HPUB service inbox.a 20 24\r\nNATS/1.0\r\nA: bcd\r\n\r\nbody'],
      ['a0', pub('nobody inbox.a', 'hello?')],
      ['b1', pub('service inbox.other', 'its own')],
    ],
  },
  {
    title: 'end a subscription for the clients of all servers',
    steps: [
      ['a0', connectWithHeaders],
      ['a0', 'SUB inbox.a 1'],
      ['b1', 'SUB s 1\r\nSUB s 2\r\nUNSUB 1\r\nUNSUB 2 1'],
      ['a0', pub('s inbox.a', 'received')],
      ['a0', pub('s inbox.a', 'too late')],
      ['c2', 'SUB s 1\r\nSUB s 2'],
      ['c2', 'UNSUB 1'],
      ['a0', pub('s inbox.a', 'received once')],
      ['c2', 'WRONG'],
      ['a0', pub('s inbox.a', 'its client has left')],
    ],
  },
  {
    title: 'deliver nothing over a network that fails, nor by way of another server, until it works again',
    steps: [
      ['a0', connectWithHeaders],
      ['i0', connectWithProtocol],
      ['a0', 'SUB inbox.a 1'],
      ['b1', 'SUB s 1'],
      ['c2', 'SUB s 1'],
      ['cut', [0, 1]],
      ['a0', pub('s inbox.a', 'to the third alone')],
      ['c2', 'UNSUB 1'],
      ['a0', pub('s inbox.a', 'to nobody')],
      ['c2', pub('s', 'from the third')],
      ['b1', 'SUB t 2'],
      ['d1', connectWithHeaders],
      ['heal', [0, 1]],
      ['a0', pub('s inbox.a', 'to the second again')],
      ['a0', pub('t', 'to a subscription of meanwhile')],
      ['e1', connectWithHeaders],
    ],
  },
  {
    title: 'continue when one of them dies, and use it again when it returns',
    steps: [
      ['i0', connectWithProtocol],
      ['a0', connectWithHeaders],
      ['a0', 'SUB s 1\r\nSUB inbox.a 2'],
      ['b1', 'SUB s 1'],
      ['c2', 'SUB s 1'],
      ['kill', 1],
      ['c2', pub('s', 'without the second')],
      ['start', 1],
      ['d1', 'SUB s 1\r\nSUB t 2'],
      ['c2', pub('s', 'with the second')],
      ['a0', pub('t inbox.a', 'to its new client')],
      ['a0', pub('u inbox.a', 'to nobody')],
    ],
  },
]
