import type { Bug } from './bugs.js'

const prices = 'src/client/prices'
const depth = 'src/client/depth'
const socket = 'src/wire/socket'

/** Bugs of prices, sockets and depth. */
export const clientBugs: readonly Bug[] = [
  {
    name: 'no unsubscribe frame is sent',
    folder: prices,
    edits: [{ in: 'Subscriptions', code: 'unsubscribeFrame($1)', bug: 'undefined' }],
  },
  {
    name: 'a subscriber that joins during a delivery receives the price twice',
    folder: prices,
    edits: [{ in: 'deliverPrice', code: 'each.position <= end', bug: 'true' }],
  },
  {
    name: 'a held price is replaced without a Stale',
    folder: prices,
    edits: [{ in: 'deliverHeld', code: 'this.deliverStale($1, $2)', bug: 'undefined' }],
  },
  {
    name: 'the age of prices is counted from the answer to a probe, not from the probe',
    folder: socket,
    edits: [
      { in: 'Lag.onAnswer', code: 'Math.max(this.measuredAt, $1)', bug: 'this.config.clock.elapsed()' },
    ],
  },
  {
    name: 'a late subscriber receives the price of an earlier connection',
    folder: prices,
    edits: [
      {
        in: 'resetTopic',
        code: 'Object.assign(state, $1, $2)',
        bug: 'Object.assign(state, $1, $2, { price: state.price, receivedAt: state.receivedAt })',
      },
    ],
  },
  {
    name: 'the wait before a dial does not grow',
    folder: socket,
    edits: [{ in: 'Host.onLost', code: 'backoff($1, $2, $3)', bug: 'backoff($1, 1, $3)' }],
  },
  {
    name: 'a poll starts a request while the last one is in flight',
    folder: depth,
    edits: [
      {
        in: 'Poll',
        code: 'switchMap(() => this.requests$)',
        // With imports that the file has.
        bug: `switchMap(() => new Observable((target) => {
          for (const requests$ of [this.requests$, this.requests$])
            target.add(requests$.subscribe((event) => target.next(event)))
        }))`,
      },
    ],
  },
  {
    name: 'the backoff is not reset after a connection that was stable',
    folder: socket,
    edits: [{ in: 'Host.onStable', code: 'this.failures = 0', bug: 'undefined' }],
  },
  {
    name: 'each connection resets the backoff',
    folder: socket,
    edits: [{ in: 'ReconnectingSocket', code: '$1 >= $2.stableAfter', bug: 'true' }],
  },
  {
    name: 'a silent connection stays open',
    folder: socket,
    edits: [{ in: 'lost$', code: 'filter(isConclusive)', bug: 'filter(() => !isConclusive())' }],
  },
  {
    name: 'a text rejects a topic although it may answer the request of one that was unsubscribed',
    folder: prices,
    edits: [
      {
        in: 'SentFrames.isAwaited',
        code: 'now - sentAt < this.confirmTimeout',
        bug: 'this.topics.has(entry.base) && now - sentAt < this.confirmTimeout',
      },
    ],
  },
  {
    name: 'each connection has the same epoch',
    folder: prices,
    edits: [{ in: 'Lines', code: '++this.lastEpoch', bug: '1' }],
  },
  {
    name: 'the wait of a poll does not grow',
    folder: depth,
    edits: [{ in: 'MintBackoff', code: 'backoff($1, $2, $3)', bug: 'backoff($1, 1, $3)' }],
  },
  {
    name: 'a success does not reset the backoff of a poll',
    folder: depth,
    edits: [{ in: 'MintBackoff.onResult', code: 'this.reset()', bug: 'undefined' }],
  },
  {
    name: 'a poll without subscribers does not end',
    folder: depth,
    edits: [{ in: 'Poll', code: '() => this.end$', bug: 'false' }],
  },
  {
    name: 'a poll does not wait for its interval',
    folder: depth,
    edits: [{ in: 'Poll', code: 'this.msUntilStart()', bug: '0' }],
  },
  {
    name: 'the answer to an old probe ends the lag',
    folder: socket,
    edits: [{ in: 'Lag.onAnswer', code: '$1 <= this.inTimeUntil', bug: 'true' }],
  },
  {
    name: 'a topic that is not confirmed is not requested again',
    folder: prices,
    edits: [
      {
        in: 'Subscriptions.onSilence',
        code: 'this.due.add(state)',
        bug: 'undefined',
      },
    ],
  },
  {
    name: 'a late subscriber of a stale topic receives its last price',
    folder: prices,
    edits: [
      { in: 'firstEvent', code: "phaseOf($1) === 'stale'", bug: 'false' },
      { in: 'firstEvent', code: 'silenceDeadline($1, $2) <= $3', bug: 'false' },
    ],
  },
  {
    name: 'a topic that lingers is requested on the next connection',
    folder: prices,
    edits: [{ in: 'Subscriptions.onDown', code: 'this.topics.delete($1)', bug: 'undefined' }],
  },
  {
    name: 'a topic that the service keeps after its unsubscribe frame stays subscribed',
    folder: prices,
    edits: [{ in: 'FrameReceiver.onPrice', code: '$1.onUnrequestedPrice($2, $3)', bug: 'undefined' }],
  },
  {
    name: 'a connection ends although the service answers its pings',
    folder: socket,
    edits: [{ in: 'silenceAfterProbe$', code: 'activityCount() === $1', bug: 'true' }],
  },
  {
    name: 'a topic is stale too early',
    folder: prices,
    edits: [{ in: 'silenceDeadline', code: 'timeouts.staleAfter', bug: 'timeouts.staleAfter * 0.6' }],
  },
]
