import { isLeft } from 'fp-ts/lib/Either.js'
import { behindMsOf } from '../../../src/base/domain/snapshot.js'
import type { PriceEvent } from '../../../src/client/prices/subscribers.js'
import type { PriceLog, SentPrice } from '../world/price-log.js'
import type { SimulatedProcess } from '../world/process.js'
import type { RequestObserver } from '../world/http-transport.js'
import type { FrameContent, PortObserver, PortSocket } from '../world/web-socket-transport.js'
import type { ResponseHead } from '../../../src/wire/transport/ports.js'
import type { World } from '../world/world.js'
import { Dials } from './dials.js'
import {
  createOpenSocket,
  createTopic,
  type ArrivedPrice,
  type OpenSocket,
  type SentFrame,
  type TopicOnSocket,
} from './open-socket.js'
import { Polls } from './polls.js'

/** The clock of a tick is late by at most this, in ms. */
const uncertainMs = 200

/** The times that the client of a simulation is created with, in ms. */
export interface ClientTimes {
  readonly initialDelay: number
  readonly linger: number
  readonly staleAfter: number
  readonly confirmTimeout: number
  readonly connectTimeout: number
  readonly maxLag: number
  readonly pingInterval: number
  readonly pongTimeout: number
  readonly maxDelay: number
}

/** A subscriber of `price$`. */
export interface SubscriberRecord {
  readonly topic: string
  readonly base: string
  readonly joinedAt: number
  /** The newest price that had arrived when it joined; -1 if none had. */
  readonly joinedAtIndex: number
  /** The connection that was open when it joined. */
  readonly joinedOn: PortSocket | undefined
  /** True if another subscriber had the latest price of the topic, and true if the connection was down and waiting for a dial. */
  readonly joinedLive: boolean
  readonly joinedDown: boolean
  /** The first price that has arrived on the open connection since it joined, and may be delivered; -1 if none has. */
  firstDue: number
  isActive: boolean
  lastEvent: 'none' | 'price' | 'failure'
  /** The connection and the index of its last price. */
  lastSocket: PortSocket | undefined
  lastIndex: number
  /** When it received its last price, in ms in which the process was running. */
  lastPriceAt: number
  /** True after a `Stale`: prices may be left out until the next one. */
  mayMissPrices: boolean
}

/** All that is known of one client: what passed its ports, and what its subscribers received. Only records. */
export class Ledger implements PortObserver, RequestObserver {
  open: OpenSocket | undefined
  readonly subscribers = new Set<SubscriberRecord>()
  /** Since when each topic has had subscribers, or none. */
  readonly wantedSince = new Map<string, number>()
  readonly idleSince = new Map<string, number>()
  readonly requests = new Map<string, number>()
  readonly dials: Dials
  readonly polls: Polls
  /** The number of programs that request topics of this client: of a gateway, the most consumers that it had at once. */
  programs = 1
  /** The most timers without topics. */
  baseTimers = 30
  /** False for a page, which probes by subscribe frames of confirmed topics. */
  hasPings = true
  /** True once the service has answered a ping of this client. */
  isProbed = false
  /** When the service or the gateway answered the last time, in ms in which the process was running. */
  answeredAt = 0
  /** The price that the client is reading. */
  reading: SentPrice | undefined
  /** The frame of the client that is answered by the one that it is reading, as far as the service knows. */
  answered: SentFrame | undefined
  /** The first topic that was requested without subscribers. */
  unwantedRequest: string | undefined
  /** When the connection was lost or closed, in ms in which the process was running. */
  closedAt = 0
  /** When the last fault ended, in ms in which the process was running. */
  healthySince = 0
  /** When messages over NATS were lost at random the last time, in ms in which the process was running. */
  lossyUntil = 0
  /** The number of events that subscribers have received. */
  eventCount = 0

  constructor(
    readonly name: string,
    readonly world: World,
    readonly process: SimulatedProcess,
    readonly times: ClientTimes,
    readonly prices: PriceLog,
  ) {
    this.dials = new Dials(world, process, times)
    this.polls = new Polls(world, process, times)
  }

  // The port of the WebSocket.

  onDial({ id }: PortSocket): void {
    this.dials.onDial()
    this.trace(() => `dials socket ${id}`)
  }

  onOpened(socket: PortSocket): void {
    this.dials.onOpened()
    this.open = createOpenSocket(socket, this.process, this.times.maxLag)
    for (const subscriber of this.subscribers) subscriber.firstDue = -1
    this.trace(() => `socket ${socket.id} is open`)
  }

  onSent({ id }: PortSocket, frame: string): void {
    this.trace(() => `socket ${id} > ${frame}`)
    const { method, topic } = JSON.parse(frame) as { readonly method: string; readonly topic: string }
    const base = baseOf(topic)
    const state = this.topicOn(base)
    if (state === undefined) return
    const { now, activeMs } = this.process
    const isSubscribe = method === 'subscribe'
    const isProbe = !this.hasPings && isSubscribe && state.isConfirmed
    const flags = { isProbe, isConfirmed: false, answeredAt: Infinity }
    this.open?.frames.push({ base, isSubscribe, at: activeMs, ...flags })
    if (!this.hasPings && this.open !== undefined) this.onPing(frameKey(this.open.frames.length - 1))
    if (isProbe) return
    state.isConfirmed = false
    state.mayBeRejected = state.mayBeDropped = false
    state.sentAt = this.world.now
    state.unaskedSince = undefined
    // Without a confirmed topic, a page probes with a topic that it has requested before, and may be about to release.
    const isRepeated = !this.hasPings && state.requestedAt !== undefined
    state.requestedAt = isSubscribe ? activeMs : undefined
    if (isSubscribe && !isRepeated && !this.wantedSince.has(base)) this.unwantedRequest ??= base
    // The silence of a topic that is requested again does not count from its earlier prices.
    if (isSubscribe && state.arrivedIndex < 0) state.arrivedAt = activeMs
    if (isSubscribe) return
    state.releasedAt = now
    state.arrivedIndex = -1
  }

  onPing(payload: string): void {
    this.open?.pings.set(payload, this.process.now)
  }

  onReceived({ id }: PortSocket, frame: string, { price: sent, answers, read }: FrameContent): void {
    this.trace(() => `socket ${id} < ${frame}`)
    this.reading = undefined
    this.answered = answers === undefined ? undefined : this.open?.frames[answers]
    if (this.open !== undefined) this.open.receivedAt = this.process.activeMs
    if (!frame.startsWith('{"')) {
      this.onFrameAnswered(answers)
      return this.onErrorText(frame)
    }
    const { subscriptions = [] } = JSON.parse(frame) as { readonly subscriptions?: readonly string[] }
    for (const topic of subscriptions) this.confirm(topic)
    if (this.open !== undefined && sent === undefined) this.open.lists++
    if (sent === undefined) this.onFrameAnswered(answers, subscriptions)
    if (sent === undefined && read !== undefined) this.onGatewayList(read, subscriptions)
    if (sent === undefined) return
    this.reading = sent
    this.open?.arrived.set(sent.id, { sent, at: this.process.now })
    const state = this.topicOn(sent.base)
    if (state === undefined) return
    // The client drops a late price of a topic that it has unsubscribed, or that the service has rejected.
    if (state.requestedAt === undefined)
      return state.releasedAt === undefined ? undefined : this.onUnasked(state)
    const mayPrecedeRequest = (state.releasedAt !== undefined || state.wasRejected) && !state.isConfirmed
    if (mayPrecedeRequest && this.isUncertain) return
    state.mayBeDropped ||= mayPrecedeRequest && !this.hasPings
    this.onConfirmed(sent.base, state)
    state.arrivedIndex = sent.index
    state.arrivedAt = this.process.activeMs
    if (state.mayBeDropped) return
    for (const subscriber of this.subscribers)
      if (subscriber.base === sent.base && subscriber.firstDue < 0) subscriber.firstDue = sent.index
  }

  /** The service has answered a frame of a page, which knows that of a probe if lists have answered all frames before. */
  private onFrameAnswered(answers: number | undefined, listed?: readonly string[]): void {
    const { open, answered } = this
    if (open === undefined || answers === undefined || answered === undefined || this.hasPings) return
    const { isSubscribe, isProbe, base } = answered
    const isAnswer = listed !== undefined && (!isSubscribe || listed.some((topic) => baseOf(topic) === base))
    if (isAnswer) answered.answeredAt = this.process.activeMs
    const areOthersAnswered = () =>
      open.frames.slice(0, answers).every((frame) => frame.answeredAt < Infinity)
    if (this.isProbed || (isAnswer && isProbe && areOthersAnswered())) this.onPong(frameKey(answers))
  }

  /**
   * A page has a list of a gateway, which does not say which frame it answers. All later data are younger than the newest frame
   * that the gateway had read. The page knows that its probe is answered if there are as many lists as frames.
   */
  private onGatewayList(read: number, listed: readonly string[]): void {
    const { open } = this
    if (open === undefined || this.hasPings) return
    const last = open.frames.at(-1)
    const areAllAnswered = open.lists >= open.frames.length && last?.isProbe === true
    const isListed = listed.some((topic) => baseOf(topic) === last?.base)
    if (this.isProbed || (areAllAnswered && isListed)) this.onPong(frameKey(read - 1))
  }

  /** True if a price may not be current, as far as the pongs or the client show: it stays behind after a long round trip. */
  private get isUncertain(): boolean {
    const { open, process, isProbed, times, dials } = this
    if (open === undefined || !isProbed) return false
    return (
      behindMsOf(dials.status) !== undefined || process.now - open.measuredAt > times.maxLag - uncertainMs
    )
  }

  onAlive(): void {
    if (this.open !== undefined) this.open.receivedAt = this.process.activeMs
  }

  onPong(payload?: string): void {
    const isFirst = !this.isProbed
    this.isProbed = true
    this.answeredAt = this.process.activeMs
    this.reading = undefined
    const { open } = this
    if (open === undefined) return
    const sentAt = payload === undefined ? undefined : open.pings.get(payload)
    const { now, activeMs } = this.process
    open.receivedAt = activeMs
    // The client does not limit the age before it knows that the service answers.
    if (isFirst) open.currentUntil = Math.max(open.currentUntil, activeMs)
    if (sentAt === undefined) return
    open.measuredAt = Math.max(open.measuredAt, sentAt)
    const spare = this.times.maxLag - (now - open.measuredAt)
    if (spare >= 0) open.currentUntil = activeMs + spare
  }

  onClosed(socket: PortSocket, how: string, refusal?: ResponseHead): void {
    this.dials.onClosed(this.open?.socket === socket, refusal)
    if (this.open?.socket === socket) {
      this.open = undefined
      this.closedAt = this.process.activeMs
    }
    this.trace(() => `socket ${socket.id} is closed: ${how}`)
  }

  // The port of HTTP.

  onRequest(path: string, isRepeated: boolean): void {
    this.requests.set(path, (this.requests.get(path) ?? 0) + 1)
    this.polls.onRequest(path, isRepeated)
    this.trace(() => `GET ${path}`)
  }

  onRequestEnd(path: string, status?: number): void {
    this.requests.set(path, (this.requests.get(path) ?? 1) - 1)
    this.polls.onRequestEnd(path, status)
  }

  // The user.

  onSubscribe(topic: string): SubscriberRecord {
    const base = baseOf(topic)
    const { open, dials } = this
    const onSocket = open?.topics.get(base)
    const isLive = [...this.subscribers].some((other) => other.base === base && isLiveOn(other, open))
    const record: SubscriberRecord = {
      ...{
        topic,
        base,
        joinedAt: this.process.activeMs,
        joinedAtIndex: onSocket?.arrivedIndex ?? -1,
        firstDue: -1,
      },
      ...{ joinedOn: open?.socket, joinedLive: isLive, joinedDown: dials.status._tag === 'Waiting' },
      ...{ isActive: true, lastEvent: 'none', lastSocket: undefined },
      ...{ lastIndex: -1, lastPriceAt: 0, mayMissPrices: false },
    }
    this.subscribers.add(record)
    this.idleSince.delete(base)
    if (!this.wantedSince.has(base)) this.wantedSince.set(base, this.process.activeMs)
    this.trace(() => `subscribes to ${topic}`)
    return record
  }

  /** The subscriber has left, or its stream has completed. */
  onLeave(record: SubscriberRecord): void {
    if (!record.isActive) return
    record.isActive = false
    this.subscribers.delete(record)
    this.trace(() => `leaves ${record.topic}`)
    const { base } = record
    if ([...this.subscribers].some((other) => other.base === base)) return
    this.wantedSince.delete(base)
    this.idleSince.set(base, this.process.activeMs)
  }

  /** Called after the checks of the event. */
  onEvent(record: SubscriberRecord, event: PriceEvent): void {
    this.eventCount++
    if (isLeft(event)) {
      record.lastEvent = 'failure'
      if (event.left._tag === 'Stale') record.mayMissPrices = true
      if (event.left._tag === 'Disconnected') record.mayMissPrices = false
      if (event.left._tag === 'SubscriptionRejected') this.onRejected(record.base)
      return
    }
    const sent = this.arrived(event.right.price)?.sent
    record.lastEvent = 'price'
    record.mayMissPrices = false
    record.lastSocket = sent?.socket
    record.lastIndex = sent?.index ?? -1
    record.lastPriceAt = this.process.activeMs
  }

  /** A price that has arrived on the open connection. */
  arrived(id: number): ArrivedPrice | undefined {
    return this.open?.arrived.get(id)
  }

  trace(text: () => string): void {
    this.world.trace(this.name, text)
  }

  /** A topic without subscribers that the service rejects needs no unsubscribe frame, and nobody receives the rejection. */
  private onErrorText(text: string): void {
    if (this.open !== undefined && this.isStray(this.open)) this.open.strayTextAt = this.process.activeMs
    // The client knows that only if no other topic waits for its answer.
    const answered = this.answered?.isSubscribe === true ? this.topicOn(this.answered.base) : undefined
    if (answered !== undefined) answered.mayBeRejected = true
    // A gateway does not say which request its text answers.
    if (this.answered === undefined)
      for (const state of this.open?.topics.values() ?? []) state.mayBeRejected ||= !state.isConfirmed
    const base = /0x\w+/.exec(text)?.[0].toLowerCase()
    if (base === undefined || !this.idleSince.has(base)) return
    const state = this.open?.topics.get(base)
    if (state?.isConfirmed === false) state.requestedAt = undefined
  }

  /** A text that answers no request, or one that the client no longer waits for: it, and all that follow in turn, may be taken for another answer. */
  private isStray({ strayTextAt }: OpenSocket): boolean {
    const { answered, process, times } = this
    if (answered === undefined) return true
    const isAwaited = !answered.isConfirmed && process.activeMs - answered.at < times.confirmTimeout
    return !isAwaited || answered.at <= strayTextAt
  }

  private confirm(topic: string): void {
    if (!topic.startsWith('svc-0x')) return
    const base = baseOf(topic)
    const state = this.topicOn(base)
    // Prices that have arrived before are not due: the page may have dropped them.
    if (state?.mayBeDropped === true) Object.assign(state, { mayBeDropped: false, arrivedIndex: -1 })
    if (state?.requestedAt !== undefined) this.onConfirmed(base, state)
    else if (state !== undefined) this.onUnasked(state)
  }

  /** The client forgets a topic that the service has rejected. */
  private onRejected(base: string): void {
    const state = this.open?.topics.get(base)
    if (state !== undefined)
      Object.assign(state, {
        requestedAt: undefined,
        isConfirmed: false,
        arrivedIndex: -1,
        wasRejected: true,
      })
  }

  private onConfirmed(base: string, state: TopicOnSocket): void {
    if (state.isConfirmed) return
    state.confirmedAt = this.process.activeMs
    state.isConfirmed = true
    const request = this.open?.frames.findLast((frame) => frame.base === base)
    if (request !== undefined) request.isConfirmed = true
  }

  /** Frames that were sent before the service read an unsubscribe frame are no mistake. */
  private onUnasked(state: TopicOnSocket): void {
    const { now, activeMs } = this.process
    const isLate = state.releasedAt !== undefined && now - state.releasedAt <= this.times.confirmTimeout
    if (!isLate) state.unaskedSince ??= activeMs
  }

  private topicOn(base: string): TopicOnSocket | undefined {
    const { open } = this
    if (open === undefined) return undefined
    const state = open.topics.get(base) ?? createTopic()
    open.topics.set(base, state)
    return state
  }
}

const isLiveOn = ({ lastEvent, lastSocket }: SubscriberRecord, open: OpenSocket | undefined): boolean =>
  open !== undefined && lastEvent === 'price' && lastSocket === open.socket

/** Stands for the payload of a ping. `index`: of a frame of the client. */
const frameKey = (index: number): string => `frame ${index}`

/** The address of a topic in lower case, without a quote. */
export const baseOf = (topic: string): string => (topic.split('-')[1] ?? topic).toLowerCase()
