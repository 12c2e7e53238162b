import type { Bug } from './bugs.js'

/** Bugs of prices, sockets and depth. */
export const clientBugs: readonly Bug[] = [
  {
    name: 'a topic that waits for the answers to others is never requested again',
    file: 'src/client/prices/topics.ts',
    edits: [['needsResubscribe ? resubscribeBy : Infinity', 'needsResubscribe ? Infinity : Infinity']],
  },
  {
    name: 'no unsubscribe frame is sent',
    file: 'src/client/prices/subscriptions.ts',
    edits: [['    return unsubscribeFrame(state.topic)', '    return undefined']],
  },
  {
    name: 'a subscriber that joins during a delivery receives the price twice',
    file: 'src/client/prices/subscribers.ts',
    edits: [['each !== undefined && each.position <= end;', 'each !== undefined && end >= 0;']],
  },
  {
    name: 'a held price is replaced without a Stale',
    file: 'src/client/prices/perform-effects.ts',
    edits: [['if (state.live && skipped) this.deliverStale(state, behindMs)', 'void [skipped, behindMs]']],
  },
  {
    name: 'the age of prices is counted from the answer to a probe, not from the probe',
    file: 'src/wire/socket/lag.ts',
    edits: [['this.measuredAt = Math.max(this.measuredAt, sentAt)', 'this.measuredAt = now']],
  },
  {
    name: 'a late subscriber receives the price of an earlier connection',
    file: 'src/client/prices/topics.ts',
    edits: [['  state.price = never\n', '']],
  },
  {
    name: 'the wait before a dial does not grow',
    file: 'src/wire/socket/reconnecting.ts',
    edits: [['backoff(reconnect, this.failures, Math.random())', 'backoff(reconnect, 1, Math.random())']],
  },
  {
    name: 'a poll starts a request while the last one is in flight',
    file: 'src/client/depth/poll.ts',
    edits: [
      [
        'if (this.subscriberCount === 0 || this.isRequesting) return',
        'if (this.subscriberCount === 0) return',
      ],
    ],
  },
  {
    name: 'prices from before a long pause are current',
    file: 'src/client/prices/price-connection.ts',
    edits: [['if (session.isAnswerMissing()) return', '']],
  },
  {
    name: 'the backoff is not reset after a connection that was stable',
    file: 'src/wire/socket/reconnecting.ts',
    edits: [['    if (upMs >= this.config.reconnect.stableAfter) this.failures = 0\n', '']],
  },
  {
    name: 'each connection resets the backoff',
    file: 'src/wire/socket/reconnecting.ts',
    edits: [['upMs >= this.config.reconnect.stableAfter', 'upMs >= 0']],
  },
  {
    name: 'a silent connection stays open',
    file: 'src/wire/socket/liveness.ts',
    edits: [['    filter(isConclusive),\n', '    filter(() => isConclusive() && false),\n']],
  },
  {
    name: 'a text rejects a topic although it may answer the request of one that was unsubscribed',
    file: 'src/client/prices/frame-ledger.ts',
    edits: [['if (now < until) yield base', 'if (now > until) yield base']],
  },
  {
    name: 'each connection has the same epoch',
    file: 'src/client/prices/connection-pool.ts',
    edits: [['nextEpoch: () => ++this.lastEpoch,', 'nextEpoch: () => 1,']],
  },
  {
    name: 'the wait of a poll does not grow',
    file: 'src/client/depth/mint-backoffs.ts',
    edits: [
      [
        'backoff(this.policy, this.consecutiveFailures, Math.random())',
        'backoff(this.policy, 1, Math.random())',
      ],
    ],
  },
  {
    name: 'a success does not reset the backoff of a poll',
    file: 'src/client/depth/mint-backoffs.ts',
    edits: [['    else if (this.consecutiveFailures > 0) this.reset()\n', '']],
  },
  {
    name: 'a poll without subscribers does not end',
    file: 'src/client/depth/poll.ts',
    edits: [
      [
        '    else this.lingering = delay(clock, linger, () => this.end())\n',
        '    else void [clock, delay]\n',
      ],
    ],
  },
  {
    name: 'a subscriber of a poll that lingers starts a request at once',
    file: 'src/client/depth/poll.ts',
    edits: [
      [
        'if (!this.isRequesting && this.msUntilStart() <= 0) this.start()',
        'if (!this.isRequesting) this.start()',
      ],
    ],
  },
  {
    name: 'the answer to an old probe ends the lag',
    file: 'src/wire/socket/lag.ts',
    edits: [["if (this.state !== 'inTime' && now <= this.inTimeUntil) {", "if (this.state !== 'inTime') {"]],
  },
  {
    name: 'a topic that is not confirmed is not requested again',
    file: 'src/client/prices/subscriptions.ts',
    edits: [['    state.needsResubscribe = true\n', '']],
  },
  {
    name: 'a late subscriber of a stale topic receives its last price',
    file: 'src/client/prices/price-events.ts',
    edits: [
      [
        "  if (phaseOf(state) === 'stale') return staleEvent(state, now, behindMs)\n",
        '  void [behindMs, phaseOf]\n',
      ],
      [
        '  if (silenceDeadline(state, timeouts) <= now) return undefined\n',
        '  void [silenceDeadline, timeouts]\n',
      ],
    ],
  },
  {
    name: 'a topic that lingers is requested on the next connection',
    file: 'src/client/prices/subscriptions.ts',
    edits: [['      if (state.idleSince !== undefined) this.topics.delete(state)\n', '']],
  },
  {
    name: 'a topic that the service keeps after its unsubscribe frame stays subscribed',
    file: 'src/client/prices/received-frame.ts',
    edits: [['    subscriptions.ledger.onUnrequestedPrice(withoutQuote(topic, base, service), at)\n', '']],
  },
  {
    name: 'a connection ends although the service answers its pings',
    file: 'src/wire/socket/liveness.ts',
    edits: [['filter(() => activityCount() === before)', 'filter(() => activityCount() >= before)']],
  },
  {
    name: 'a topic is stale too early',
    file: 'src/client/prices/topics.ts',
    edits: [
      ['state.lastActivityAt + timeouts.staleAfter', 'state.lastActivityAt + timeouts.staleAfter * 0.6'],
    ],
  },
]
