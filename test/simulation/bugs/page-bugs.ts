import type { Bug } from './bugs.js'

const shares = { pages: 1 }

/** Bugs of clients whose sockets have no pings. */
export const pageBugs: readonly Bug[] = [
  {
    name: 'a confirmation answers all frames that were sent before it arrived',
    file: 'src/client/prices/frame-ledger.ts',
    edits: [
      [
        'this.findAnswered(from, number) ?? 0',
        'Math.max(this.lastFrame, this.findAnswered(from, number) ?? 0)',
      ],
    ],
    shares,
  },
  {
    name: 'an error text rejects a topic though it may answer a probe',
    file: 'src/client/prices/error-texts.ts',
    edits: [['ledger.probeCount > 0 ? []', 'ledger.probeCount > 1e9 ? []']],
    shares,
  },
  {
    name: 'an error text rejects a topic though it may answer the probe of a topic that has timed out',
    file: 'src/client/prices/frame-ledger.ts',
    edits: [
      [
        "if (phase !== 'timed-out') return phase === 'pending'",
        "if (phase !== 'never') return phase === 'pending'",
      ],
    ],
    shares,
  },
  {
    name: 'a page with a silent connection is not probed',
    file: 'src/wire/socket/liveness.ts',
    edits: [['delay$(clock, pingInterval / samples)', 'delay$(clock, 1e9)']],
    shares,
  },
  {
    name: 'a page does not measure the age of its prices',
    file: 'src/wire/socket/session.ts',
    edits: [['this.isMeasurable() && this.probe()', 'this.hasPings && this.probe()']],
    shares,
  },
  {
    name: 'a topic that has not been confirmed measures the age of prices',
    file: 'src/client/prices/frame-sender.ts',
    edits: [['state !== undefined && !isUnconfirmed(state)', 'state !== undefined']],
    shares,
  },
  {
    name: 'the answer to a probe that is no longer stored is taken for that to a later one',
    file: 'src/wire/socket/liveness.ts',
    edits: [['payload === undefined && this.dropped > 0', 'payload === undefined && this.dropped > 1e9']],
    shares,
  },
  {
    name: 'a gateway answers the probe of a page before the prices that it holds',
    file: 'src/serve/gateway/prices/connection.ts',
    edits: [['const isHeld = isRepeated || this.held', 'const isHeld = this.held']],
    shares,
  },
  {
    name: 'an answer of a gateway overtakes that to the probe of a page',
    file: 'src/serve/gateway/prices/connection.ts',
    edits: [['isRepeated || this.held.hasConfirmations', 'isRepeated']],
    shares,
  },
  {
    name: 'a gateway answers the probe of a page before its service has answered a later one',
    file: 'src/serve/gateway/prices/connection.ts',
    edits: [['isUnproven: isRepeated ? this.probes.request() : undefined', 'isUnproven: undefined']],
    shares,
  },
]
