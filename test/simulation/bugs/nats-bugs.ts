import type { Bug } from './bugs.js'

/** Bugs of clients, gateways and histories over NATS. */
export const natsBugs: readonly Bug[] = [
  {
    name: 'a client over NATS delivers prices of any age',
    file: 'src/serve/nats/consumer/data-age.ts',
    edits: [['this.isWithheld ||= this.behindMs > this.maxLag', 'this.isWithheld ||= false']],
  },
  {
    name: 'a client over NATS ignores that an update is missing',
    file: 'src/serve/nats/consumer/topic-updates.ts',
    edits: [["if (sequence > topic.sequence + 1) return 'gap'", '']],
  },
  {
    name: 'a lease on a gateway over NATS never expires',
    file: 'src/serve/nats/gateway/lease.ts',
    edits: [['++this.checks > leaseTime / leaseCheckInterval', '++this.checks < 0']],
  },
  {
    name: 'a link to NATS ignores the servers that join the cluster later',
    file: 'src/serve/nats/connection/nats-link.ts',
    edits: [['...this.discovered, ...clusterServers(connection)', '...this.discovered']],
  },
  {
    name: 'a client stays at a server of a cluster at which no gateway answers',
    file: 'src/serve/nats/consumer/find-gateway.ts',
    edits: [['if (unanswered !== undefined) link.onUnanswered(unanswered)', '']],
  },
  {
    name: 'a history stores a message again whose acknowledgement is lost',
    file: 'src/serve/nats/history/history-store.ts',
    edits: [['{ msgID: id, expect }', '{ expect: { streamName: historyStream } }']],
  },
  {
    name: 'a history stores a message though another gateway stores the topic',
    file: 'src/serve/nats/history/history-store.ts',
    edits: [['{ lastSubjectSequence: after }', '{}']],
  },
  {
    name: 'a lease on a gateway over NATS expires one check late',
    file: 'src/serve/nats/gateway/lease.ts',
    edits: [['leaseTime / leaseCheckInterval', '1 + leaseTime / leaseCheckInterval']],
  },
  {
    name: 'a renewal does not extend a lease',
    file: 'src/serve/nats/gateway/lease.ts',
    edits: [['    this.checks = 0\n', '']],
  },
  {
    name: 'a gateway over NATS ignores a gap in the numbers of requests',
    file: 'src/serve/nats/gateway/lease.ts',
    edits: [["    if (number > this.requests + 1) return 'gap'\n", '']],
    shares: { mild: 1 },
  },
  {
    name: 'a gateway over NATS ignores that the last request before a renewal is lost',
    file: 'src/serve/nats/gateway/gateway-connection.ts',
    edits: [['        if (lease.isMissing(message.requests)) return endIncomplete(lease)\n', '']],
    shares: { mild: 1 },
  },
  {
    name: 'a client over NATS ignores that the last update before a renewal is missing',
    file: 'src/serve/nats/consumer/nats-web-socket-transport.ts',
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
    file: 'src/serve/nats/gateway/price-clock.ts',
    edits: [['this.isAnswerMissing = this.feed.probe()', 'void this.feed']],
    shares: { mild: 1 },
  },
  {
    name: 'a connection to NATS stays open however long nothing passes',
    file: 'src/serve/nats/connection/nats-link.ts',
    edits: [['maxPingOut: 2,', 'maxPingOut: 2_000,']],
    shares: { cluster: 0 },
  },
  {
    name: 'a gateway over NATS publishes that its service has answered before it has',
    file: 'src/serve/nats/gateway/age-proofs.ts',
    edits: [['isMissing: feed.requestProbe(0)', 'isMissing: () => false']],
  },
  {
    name: 'a gateway over NATS sends prices to a new consumer before its service has answered a probe',
    file: 'src/serve/nats/gateway/lease.ts',
    edits: [['    this.isUnproven ??= this.requestProbe(0)\n', '    void this.requestProbe\n']],
  },
]
