import { isLeft } from 'fp-ts/lib/Either.js'
import type { PriceEvent } from '../../../src/client/prices/subscribers.js'
import { leaseCheckInterval, leaseTime } from '../../../src/nats/publisher/lease.js'
import type { Publication } from '../world/nats-protocol.js'
import { keptMs } from './consumers.js'
import { baseOf, type Ledger } from './ledger.js'

// What a gateway over NATS subscribes to: `docs/operate/many-machines.md`. Times are those in which its process was running, in ms.

/** A lease has expired by then, and is released in the same turn of the event loop. */
const expiredMs = leaseTime + leaseCheckInterval + 50

/** What the event loop takes, in ms. */
const slackMs = 100

interface Session {
  readonly topics: Set<string>
  renewedAt: number
  /** The number of the last subscribe or unsubscribe message. */
  requests: number
  /** True if a message came when the lease may have expired. */
  isUncertain: boolean
}

/** The fields of the messages of consumers that concern sessions. */
interface Message {
  readonly type: string
  readonly session?: string
  readonly topic?: string
  readonly number?: number
  readonly requests?: number
}

/** The sessions of a gateway over NATS, by what it has read, and the topics that it has subscribed to. */
export class NatsDemand {
  private readonly sessions = new Map<string, Session>()
  /** Since when each subscribed topic is unwanted. */
  private readonly unwantedSince = new Map<string, number>()
  /** The time in which the service was up since the last outage. */
  private upMs = Infinity
  private checkedAt = 0
  private isUp = true
  /** The session that was renewed in this turn. */
  private renewed: Session | undefined

  constructor(private readonly ledger: Ledger) {}

  /** The gateway reads a message. */
  onMessage({ subject, payload }: Publication): void {
    if (!subject.startsWith('svc.gateway.')) return
    const message = JSON.parse(payload.toString()) as Message
    const key = `${subject} ${message.session}`
    if (message.type === 'open') return this.open(key)
    const session = this.sessions.get(key)
    if (session === undefined) return
    if (message.type === 'close' || isIncomplete(session, message)) return this.end(key, session)
    if (message.type === 'renew') this.renew(session)
    else if (message.topic !== undefined) request(session, message)
  }

  /** The status of the client changes. `isOutage`: it ends all sessions. */
  onStatus(isOutage: boolean): void {
    if (isOutage) this.onOutage()
    else this.isUp = true
  }

  /** The client of the gateway delivers an event. */
  onSourceEvent(base: string, event: PriceEvent): void {
    if (!isLeft(event)) return
    const { _tag } = event.left
    if (_tag === 'Disconnected') this.onOutage()
    if (_tag === 'SubscriptionRejected')
      for (const session of this.sessions.values()) session.topics.delete(base)
  }

  /** What is wrong at the end of a turn, if anything is. */
  problem(): string | undefined {
    const { now, ledger } = this
    if (ledger.open !== undefined && this.isUp) this.upMs += now - this.checkedAt
    this.checkedAt = now
    for (const [key, { renewedAt }] of this.sessions)
      if (now - renewedAt > expiredMs) this.sessions.delete(key)
    return this.problemOfRenewal() ?? this.problemOfRelease()
  }

  private onOutage(): void {
    this.isUp = false
    this.upMs = 0
    for (const session of this.sessions.values()) session.isUncertain = true
  }

  private get now(): number {
    return this.ledger.process.activeMs
  }

  private open(key: string): void {
    if (this.sessions.has(key)) return
    this.sessions.set(key, { topics: new Set(), renewedAt: this.now, requests: 0, isUncertain: false })
  }

  private end(key: string, session: Session): void {
    this.sessions.delete(key)
    if (this.renewed === session) this.renewed = undefined
  }

  private renew(session: Session): void {
    if (this.now - session.renewedAt >= leaseTime) session.isUncertain = true
    session.renewedAt = this.now
    this.renewed = session
  }

  /** The topics of a session that is renewed are subscribed. */
  private problemOfRenewal(): string | undefined {
    const { renewed, ledger } = this
    this.renewed = undefined
    if (renewed === undefined || renewed.isUncertain) return undefined
    const base = [...renewed.topics].find((each) => !ledger.wantedSince.has(each))
    return base && `${base} is wanted by a session that is renewed, and is not subscribed`
  }

  /**
   * A topic is released with the last session that wants it: when that has unsubscribed from it or is closed, when one of its
   * messages is lost, or when its lease expires. After an outage it may be kept for `keptMs`.
   */
  private problemOfRelease(): string | undefined {
    const { now, ledger, unwantedSince } = this
    const wanted = new Set([...this.sessions.values()].flatMap(({ topics }) => [...topics]))
    for (const base of unwantedSince.keys())
      if (wanted.has(base) || !ledger.wantedSince.has(base)) unwantedSince.delete(base)
    if (this.upMs <= keptMs + slackMs) return undefined
    for (const base of ledger.wantedSince.keys()) {
      if (wanted.has(base)) continue
      const since = unwantedSince.get(base) ?? now
      unwantedSince.set(base, since)
      if (now - since > slackMs) return `${base} is unwanted and was not released for ${now - since} ms`
    }
    return undefined
  }
}

/** True if the message shows that one before it is lost: the gateway ends the session. */
const isIncomplete = ({ requests }: Session, message: Message): boolean =>
  message.type === 'renew' ? (message.requests ?? 0) > requests : (message.number ?? 0) > requests + 1

const request = (session: Session, { type, topic = '', number = 0 }: Message): void => {
  if (number <= session.requests) return
  session.requests = number
  if (type === 'subscribe') session.topics.add(baseOf(topic))
  else session.topics.delete(baseOf(topic))
}
