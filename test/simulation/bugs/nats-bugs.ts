import type { Bug } from './bugs.js'

const folder = 'src/nats'
const shares = { nats: 1 }
const mild = { nats: 1, mild: 1 }
const cluster = { nats: 1, cluster: 1 }

/** Bugs of clients, gateways and histories over NATS. */
export const natsBugs: readonly Bug[] = [
  {
    name: 'a client over NATS delivers prices of any age',
    folder,
    edits: [{ in: 'DataAge.lateReason', code: 'behindMs <= $1', bug: 'true' }],
    shares,
  },
  {
    name: 'a client over NATS ignores that an update is missing',
    folder,
    edits: [{ in: 'TopicUpdatesTable.onUpdate', code: 'sequence > $1 + 1', bug: 'false' }],
    shares,
  },
  {
    name: 'a lease on a gateway over NATS never expires',
    folder,
    edits: [{ in: 'Lease.check', bug: 'return false' }],
    shares,
  },
  {
    name: 'a client stays at a server of a cluster at which no gateway answers',
    folder,
    edits: [{ in: 'reachGateway', code: 'leaveServer($1, $2)', bug: 'undefined' }],
    shares: cluster,
  },
  {
    name: 'a lease on a gateway over NATS expires one check late',
    folder,
    edits: [{ in: 'Lease.check', code: 'leaseTime / $1', bug: '1 + leaseTime / $1' }],
    shares,
  },
  {
    name: 'a renewal does not extend a lease',
    folder,
    edits: [{ in: 'Lease.renew', code: 'this.checks = 0', bug: 'undefined' }],
    shares,
  },
  {
    name: 'a gateway over NATS ignores a gap in the numbers of requests',
    folder,
    edits: [{ in: 'Lease.onRequest', bug: 'this.requests = number; return true' }],
    shares: mild,
  },
  {
    name: 'a gateway over NATS ignores that the last request before a renewal is lost',
    folder,
    edits: [{ in: 'Lease.renew', code: 'requests !== this.requests', bug: 'false' }],
    shares: mild,
  },
  {
    name: 'a client over NATS ignores that the last update before a heartbeat is missing',
    folder,
    edits: [{ in: 'NatsSocket.onUpdate', code: 'this.topics.onHeartbeat($1, $2)', bug: "'ignore'" }],
    shares: mild,
  },
  {
    name: 'a client over NATS delivers its last price to a late subscriber although the next one may be lost',
    folder,
    edits: [{ in: 'NatsSocket.isCurrent', code: 'base && $1', bug: 'undefined' }],
    shares: mild,
  },
  {
    name: 'a gateway over NATS does not wait for an answer of the service after a stop',
    folder,
    edits: [{ in: 'PriceClock.tick', code: 'this.isAnswerMissing = $1', bug: 'undefined' }],
    shares: mild,
  },
  {
    name: 'a connection to NATS stays open however long nothing passes',
    folder,
    edits: [{ in: 'ownOptions.maxPingOut', bug: '2_000' }],
    shares,
  },
  {
    name: 'a gateway over NATS publishes that its service has answered before it has',
    folder,
    edits: [{ in: 'AgeProofs', code: 'feed.requestProbe($1)', bug: '() => false' }],
    shares,
  },
  {
    name: 'a gateway over NATS sends prices to a new consumer before its service has answered a probe',
    folder,
    edits: [{ in: 'Lease.onSubscribe', code: 'this.isUnproven ??= $1', bug: 'undefined' }],
    shares,
  },
]
