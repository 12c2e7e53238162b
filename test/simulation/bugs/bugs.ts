import type { Shares } from '../search/scenario.js'

/** A bug that is put back into the sources: one text is replaced by another. */
export interface Bug {
  readonly name: string
  readonly file: string
  readonly edits: readonly (readonly [correct: string, wrong: string])[]
  /** The scenarios that find it, where they are not those of its file. */
  readonly shares?: Partial<Shares>
}

/** Each text occurs once in its file. */
export const bugs: readonly Bug[] = [
  {
    name: 'a topic that waits for the answers to others is never requested again',
    file: 'src/prices/subscriptions.ts',
    edits: [
      [
        'if (releaseAt(state, this.timeouts) <= now || resubscribeDeadline(state) <= now)\n',
        'if (releaseAt(state, this.timeouts) <= now)\n',
      ],
      [': Math.min(releaseAt(state, timeouts), resubscribeDeadline(state))', ': releaseAt(state, timeouts)'],
      ['  resubscribeDeadline,\n', ''],
    ],
  },
  {
    name: 'no unsubscribe frame is sent',
    file: 'src/prices/subscriptions.ts',
    edits: [
      [
        '      if (!isRequested) return undefined\n',
        '      if (isRequested || !isRequested) return undefined\n',
      ],
    ],
  },
  {
    name: 'a subscriber that joins during a delivery receives the price twice',
    file: 'src/prices/subscribers.ts',
    edits: [['each !== undefined && each.position <= end;', 'each !== undefined && end >= 0;']],
  },
  {
    name: 'a held price is replaced without a Stale',
    file: 'src/prices/price-connection.ts',
    edits: [['if (state.live && skipped) this.deliverStale(state, behindMs)', 'void [skipped, behindMs]']],
  },
  {
    name: 'the age of prices is counted from the answer to a probe, not from the probe',
    file: 'src/socket/lag.ts',
    edits: [['this.measuredAt = Math.max(this.measuredAt, sentAt)', 'this.measuredAt = now']],
  },
  {
    name: 'a late subscriber receives the price of an earlier connection',
    file: 'src/prices/topics.ts',
    edits: [['  state.price = never\n', '']],
  },
  {
    name: 'the wait before a dial does not grow',
    file: 'src/socket/reconnecting.ts',
    edits: [['backoff(reconnect, this.failures, Math.random())', 'backoff(reconnect, 1, Math.random())']],
  },
  {
    name: 'a poll starts a request while the last one is in flight',
    file: 'src/depth/poll.ts',
    edits: [
      [
        'if (this.subscriberCount === 0 || this.isRequesting) return',
        'if (this.subscriberCount === 0) return',
      ],
    ],
  },
  {
    name: 'prices from before a long pause are current',
    file: 'src/prices/price-connection.ts',
    edits: [['if (open?.isAnswerMissing() === true) return', '']],
  },
  {
    name: 'the backoff is not reset after a connection that was stable',
    file: 'src/socket/reconnecting.ts',
    edits: [
      [
        '    if (openConnection !== undefined && upMs >= this.config.reconnect.stableAfter) this.failures = 0\n',
        '',
      ],
    ],
  },
  {
    name: 'each connection resets the backoff',
    file: 'src/socket/reconnecting.ts',
    edits: [[' && upMs >= this.config.reconnect.stableAfter', '']],
  },
  {
    name: 'a silent connection stays open',
    file: 'src/socket/liveness.ts',
    edits: [['    filter(isConclusive),\n', '    filter(() => isConclusive() && false),\n']],
  },
  {
    name: 'a text rejects a topic although it may answer the request of one that was unsubscribed',
    file: 'src/prices/acks.ts',
    edits: [['    yield* this.recentlyUnsubscribed.pending(now)\n', '']],
  },
  {
    name: 'each connection has the same epoch',
    file: 'src/prices/connection-pool.ts',
    edits: [['nextEpoch: () => ++this.lastEpoch,', 'nextEpoch: () => 1,']],
  },
  {
    name: 'the wait of a poll does not grow',
    file: 'src/depth/mint-backoffs.ts',
    edits: [
      [
        'backoff(this.policy, this.consecutiveFailures, Math.random())',
        'backoff(this.policy, 1, Math.random())',
      ],
    ],
  },
  {
    name: 'a success does not reset the backoff of a poll',
    file: 'src/depth/mint-backoffs.ts',
    edits: [['    else if (this.consecutiveFailures > 0) this.reset()\n', '']],
  },
  {
    name: 'a poll without subscribers does not end',
    file: 'src/depth/poll.ts',
    edits: [
      [
        '    else this.lingering = delay(clock, linger, () => this.end())\n',
        '    else void [clock, delay]\n',
      ],
    ],
  },
  {
    name: 'a subscriber of a poll that lingers starts a request at once',
    file: 'src/depth/poll.ts',
    edits: [
      [
        'if (!this.isRequesting && this.msUntilStart() <= 0) this.start()',
        'if (!this.isRequesting) this.start()',
      ],
    ],
  },
  {
    name: 'the answer to an old probe ends the lag',
    file: 'src/socket/lag.ts',
    edits: [
      [
        "if (this.state === 'current' || now > this.currentUntil) return",
        "if (this.state === 'current') return",
      ],
    ],
  },
  {
    name: 'a topic that is not confirmed is not requested again',
    file: 'src/prices/subscriptions.ts',
    edits: [['    state.needsResubscribe = true\n', '']],
  },
  {
    name: 'a late subscriber of a stale topic receives its last price',
    file: 'src/prices/price-events.ts',
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
    file: 'src/prices/subscriptions.ts',
    edits: [['      if (state.idleSince !== undefined) this.topics.delete(state)\n', '']],
  },
  {
    name: 'a topic that the service keeps after its unsubscribe frame stays subscribed',
    file: 'src/prices/received-frame.ts',
    edits: [['    subscriptions.unrequested.onPrice(withoutQuote(topic, base, service), at)\n', '']],
  },
  {
    name: 'a gateway does not pass the age of a price on',
    file: 'src/gateway/sessions/topic-feed.ts',
    edits: [['const end = age > 0 ? ', 'const end = age < 0 ? ']],
  },
  {
    name: 'a gateway sends the last price to a new consumer while its client holds a newer one',
    file: 'src/gateway/sessions/topic-feed.ts',
    edits: [['&& config.source.isCurrent() ?', '&& config ?']],
    shares: { webSocket: 1 },
  },
  {
    name: 'a gateway sends the held price of a topic that its consumer has left',
    file: 'src/gateway/prices/connection.ts',
    edits: [['    if (feed !== undefined) this.held.delete(feed)\n', '']],
  },
  {
    name: 'a gateway never unsubscribes from a topic that it has kept during an outage',
    file: 'src/gateway/sessions/demand.ts',
    edits: [['      this.releaseUnwanted(feed)\n', '']],
  },
  {
    name: 'a gateway forgets one of several consumers of a topic',
    file: 'src/gateway/sessions/sessions.ts',
    edits: [['    this.demand.releaseUnwanted(feed)', '    this.demand.delete(feed)']],
  },
  {
    name: 'a gateway answers a ping before the prices that it holds',
    file: 'src/gateway/prices/connection.ts',
    edits: [['if (this.held.size > 0 || ', 'if (this.held.size < 0 || ']],
  },
  {
    name: 'a gateway answers a ping while its own prices may be too old',
    file: 'src/gateway/prices/connection.ts',
    edits: [
      ['if (this.held.size > 0 || !this.config.isCurrent()) ', 'if (this.held.size > 0) '],
      ['if (!this.config.isCurrent()) break', ''],
    ],
  },
  {
    name: 'held prices are never sent',
    file: 'src/gateway/prices/connection.ts',
    edits: [
      ['    if (this.held.size > 0 && !window.isHolding) this.sendHeld()\n', ''],
      ['    if (!window.isUnmarked) this.mark()\n    this.sendHeld()\n', ''],
    ],
  },
  {
    name: 'a pong of a consumer is late after 3 s',
    file: 'src/gateway/prices/ack-window.ts',
    edits: [['const lateMs = 300', 'const lateMs = 3000']],
  },
  {
    name: 'an outage ends the consumers of a gateway with the code 1000',
    file: 'src/gateway/sessions/sessions.ts',
    edits: [["'service-down': tryAgainLater", "'service-down': 1000"]],
  },
  {
    name: 'a gateway never terminates a connection that its consumer does not close',
    file: 'src/gateway/prices/connection.ts',
    edits: [
      [
        '    this.endTimer.add(timer(ms).subscribe(() => this.webSocket.terminate()))\n',
        '    void [timer, ms]\n',
      ],
    ],
  },
  {
    name: 'a gateway rejects a topic by a text of its own',
    file: 'src/gateway/sessions/topic-feed.ts',
    edits: [['return this.reject(error.reason)', "return this.reject('rejected')"]],
  },
  {
    name: 'further outages prolong the time for which a gateway keeps a topic',
    file: 'src/gateway/sessions/demand.ts',
    edits: [['      if (!feed.isWanted) continue\n', '']],
  },
  {
    name: 'a client over NATS delivers prices of any age',
    file: 'src/nats/consumer/nats-web-socket-transport.ts',
    edits: [['this.isWithheld ||= this.behindMs > this.context.maxLag', 'this.isWithheld ||= false']],
  },
  {
    name: 'a client over NATS ignores that an update is missing',
    file: 'src/nats/consumer/topic-updates.ts',
    edits: [["if (sequence > topic.sequence + 1) return 'gap'", '']],
  },
  {
    name: 'a lease on a gateway over NATS never expires',
    file: 'src/nats/gateway/lease.ts',
    edits: [['++this.checks > leaseTime / leaseCheckInterval', '++this.checks < 0']],
  },
  {
    name: 'a link to NATS ignores the servers that join the cluster later',
    file: 'src/nats/connection/nats-link.ts',
    edits: [['...this.discovered, ...clusterServers(connection)', '...this.discovered']],
  },
  {
    name: 'a client stays at a server of a cluster at which no gateway answers',
    file: 'src/nats/consumer/find-gateway.ts',
    edits: [['if (unanswered !== undefined) link.onUnanswered(unanswered)', '']],
  },
  {
    name: 'a history stores a message again whose acknowledgement is lost',
    file: 'src/nats/history/history-store.ts',
    edits: [['{ msgID: id, expect }', '{ expect: { streamName: historyStream } }']],
  },
  {
    name: 'a history stores a message though another gateway stores the topic',
    file: 'src/nats/history/history-store.ts',
    edits: [['{ lastSubjectSequence: after }', '{}']],
  },
  {
    name: 'a lease on a gateway over NATS expires one check late',
    file: 'src/nats/gateway/lease.ts',
    edits: [['leaseTime / leaseCheckInterval', '1 + leaseTime / leaseCheckInterval']],
  },
  {
    name: 'a renewal does not extend a lease',
    file: 'src/nats/gateway/lease.ts',
    edits: [['    this.checks = 0\n', '']],
  },
  {
    name: 'a gateway over NATS ignores a gap in the numbers of requests',
    file: 'src/nats/gateway/lease.ts',
    edits: [["    if (number > this.requests + 1) return 'gap'\n", '']],
    shares: { mild: 1 },
  },
  {
    name: 'a gateway over NATS ignores that the last request before a renewal is lost',
    file: 'src/nats/gateway/gateway-connection.ts',
    edits: [['        if (lease.isMissing(message.requests)) return endIncomplete(lease)\n', '']],
    shares: { mild: 1 },
  },
  {
    name: 'a client over NATS ignores that the last update before a renewal is missing',
    file: 'src/nats/consumer/nats-web-socket-transport.ts',
    edits: [
      [
        'if (this.topics.isMissing(base as Address, sequence)) return this.onGap(base)',
        'void [base, sequence]',
      ],
    ],
    shares: { mild: 1 },
  },
  {
    name: 'a gateway over NATS does not wait for an answer of the service after a stop',
    file: 'src/nats/gateway/price-clock.ts',
    edits: [['this.isAnswerMissing = this.feed.probe()', 'void this.feed']],
    shares: { mild: 1 },
  },
  {
    name: 'a connection to NATS stays open however long nothing passes',
    file: 'src/nats/connection/nats-link.ts',
    edits: [['maxPingOut: 2,', 'maxPingOut: 2_000,']],
    shares: { cluster: 0 },
  },
]

/** The scenarios that find a bug: those without gateways, unless it is one of gateways. */
export const searchOf = ({ file, shares }: Bug): { readonly firstSeed: number; readonly shares: Shares } => ({
  firstSeed: 1,
  shares: {
    webSocket: file.startsWith('src/gateway/') ? 0.4 : 0,
    nats: file.startsWith('src/nats/') ? 1 : 0,
    cluster: /nats-link|find-gateway/.test(file) ? 1 : 0,
    history: file.startsWith('src/nats/history/') ? 1 : 0,
    mild: 0,
    ...shares,
  },
})
