import type { Bug } from './bugs.js'

const prices = 'src/client/prices'
const socket = 'src/wire/socket'
const shares = { pages: 1 }
const ofGateway = { folder: 'src/gateway', shares: { ...shares, webSocket: 1 } }

/** Bugs of clients whose sockets have no pings. */
export const pageBugs: readonly Bug[] = [
  {
    name: 'a confirmation answers all frames that were sent before it arrived',
    folder: prices,
    edits: [{ in: 'SentFrames', code: 'this.takeAnswered($1, $2)', bug: 'this.lastFrame' }],
    shares,
  },
  {
    name: 'an error text rejects a topic though it may answer a probe',
    folder: prices,
    edits: [{ in: 'SentFrames.onlyAwaited', code: 'this.probeCount > 0', bug: 'false' }],
    shares,
  },
  {
    name: 'an error text rejects a topic though it may answer the probe of a topic that has timed out',
    folder: prices,
    edits: [
      {
        in: 'SentFrames.onProbe',
        code: 'this.onSent($1, $2, now)',
        bug: 'this.onSent($1, $2, isUnconfirmed(state) ? -Infinity : now)',
      },
    ],
    shares,
  },
  {
    name: 'a page with a silent connection is not probed',
    folder: socket,
    edits: [{ in: 'silence$', code: 'delay$($1, $2)', bug: 'delay$($1, 1e9)' }],
    shares,
  },
  {
    name: 'a page does not measure the age of its prices',
    folder: socket,
    edits: [{ in: 'Session.measure', code: 'this.isMeasurable()', bug: 'this.hasPings' }],
    shares,
  },
  {
    name: 'a topic that has not been confirmed measures the age of prices',
    folder: prices,
    edits: [{ in: 'FrameSender.isRecognisable', code: '!isUnconfirmed($1)', bug: 'true' }],
    shares,
  },
  {
    ...ofGateway,
    name: 'a gateway answers the probe of a page before the prices that it holds',
    edits: [{ in: 'Connection.confirm', code: 'isRepeated || $1', bug: '$1' }],
  },
  {
    ...ofGateway,
    name: 'an answer of a gateway overtakes that to the probe of a page',
    edits: [{ in: 'Connection.confirm', code: 'isRepeated || $1', bug: 'isRepeated' }],
  },
  {
    ...ofGateway,
    name: 'a gateway answers the probe of a page before its service has answered a later one',
    edits: [{ in: 'Connection.confirm', code: 'this.requestProbe()', bug: 'undefined' }],
  },
]
