import type { LineKind } from '../search/index.js'
import type { Edits } from './edits.js'

/** A bug of several lines, and the scenarios that find it. */
export interface LineBug extends Edits {
  readonly name: string
  readonly kind: LineKind
  /** Default: 1. */
  readonly firstSeed?: number
}

const folder = 'src/client/prices'

export const lineBugs: readonly LineBug[] = [
  {
    name: 'the line before still delivers after a switch',
    kind: 'one',
    folder,
    edits: [{ in: 'takeOver', code: 'moveList(from, to)', bug: 'undefined' }],
  },
  {
    name: 'the prices of a new front are not held until a probe is answered',
    kind: 'one',
    folder,
    edits: [{ in: 'PriceConnection.onFront', code: '$1.lag.hold()', bug: 'false' }],
  },
  {
    name: 'a topic is not subscribed on the other lines',
    kind: 'one',
    folder,
    edits: [{ in: 'Lines.join', code: 'line.want($1, $2)', bug: 'undefined' }],
  },
  {
    name: 'two slow lines replace each other again and again',
    kind: 'any',
    folder,
    edits: [
      {
        in: 'nextFront',
        code: "lines.filter((line) => line.phase === 'ready' && hasEnough(line))",
        bug: "lines.filter((line) => line !== front && line.phase !== 'waiting')",
      },
    ],
  },
  {
    name: 'a line is replaced before the prices of both agree',
    kind: 'rotation',
    folder,
    edits: [
      { in: 'Rotation.check', code: 'old.topics.every((state) => this.hasPriceOf(state, now))', bug: 'true' },
    ],
  },
  {
    name: 'a line that is replaced takes the prices of quiet topics with it',
    kind: 'one',
    folder,
    edits: [{ in: 'Lines.onRotated', code: 'copyPrice($1, $2)', bug: 'undefined' }],
  },
  {
    name: 'a front that holds a price stays in front',
    kind: 'one',
    // Rare: late prices and the answer to a ping are read at once.
    firstSeed: 319,
    folder,
    edits: [{ in: 'FrameReceiver.onPriceUpdate', code: 'this.config.onHeld()', bug: 'undefined' }],
  },
]
