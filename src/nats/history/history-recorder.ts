import { nuid, type NatsConnection } from '@nats-io/transport-node'
import { Subscription } from 'rxjs'
import type { PriceClient } from '../../client/client.js'
import type { ConnectionStatus } from '../../base/domain/status.js'
import { canonicalAddress } from '../../base/domain/address.js'
import { addressOf, type Topic } from '../../base/domain/topic.js'
import { writeError } from '../../base/errors/constructors.js'
import type { WriteError } from '../../base/errors/model.js'
import { Failures } from '../../gateway/history/failures.js'
import { deferred, type Deferred } from '../../base/task/deferred.js'
import type { Clock } from '../../base/time/clock.js'
import { delay } from '../../base/time/deadline.js'
import type { Subjects } from '../subjects.js'
import { openHistoryStore, type HistoryStore } from './history-store.js'
import type { OpenJetStream } from './jetstream.js'
import { retryAfter, StoredTopic, type StoredTopicConfig } from './stored-topic.js'

/** Interval of the checks of all topics, in ms. */
const checkInterval = 1_000

/** Maximum size of the unstored rows of all topics, in bytes. Above it, rows are dropped. */
export const maxKeptBytes = 8 * 2 ** 20

/** The time in which the last rows may be stored when the gateway closes, in ms. */
const closeTimeout = 1_000

export interface HistoryRecorderConfig {
  readonly open: OpenJetStream
  readonly client: PriceClient
  readonly clock: Clock
  readonly subjects: Subjects
  /** In ms. */
  readonly keep: number
  /** The state of the connection to the service. */
  readonly status: () => ConnectionStatus
  /** Called when rows can no longer be stored, and with `undefined` when all topics are stored again. */
  readonly onFailure: (error: WriteError | undefined) => void
}

/**
 * Stores the topics of a NATS gateway in a JetStream stream. Prices never wait for the store: rows that cannot be
 * stored are kept, up to `maxKeptBytes`, and stored later.
 */
export class HistoryRecorder {
  private readonly topics = new Map<Topic, StoredTopic>()
  private readonly failures: Failures
  private readonly topicConfig: StoredTopicConfig
  private readonly stopChecks: () => void
  private connection: NatsConnection | undefined
  private store: HistoryStore | undefined
  /** When the stream of the last store was created. */
  private streamCreated: string | undefined
  private opening = new Subscription()
  private keptBytes = 0
  private readonly prefix = nuid.next()
  private count = 0
  /** Resolves when all rows are stored after the last topic has ended. */
  private stored: Deferred<undefined> | undefined

  constructor(private readonly config: HistoryRecorderConfig) {
    const { client, clock, status, onFailure } = config
    this.failures = new Failures(onFailure)
    this.topicConfig = {
      client,
      clock,
      status,
      store: () => this.store,
      onGone: (store) => this.onGone(store),
      nextId: () => `${this.prefix}-${++this.count}`,
      isFull: () => this.keptBytes >= maxKeptBytes,
      onKept: (bytes) => this.onKept(bytes),
      watch: (subject, onText) => this.watch(subject, onText),
      onFailure: (topic, error) => this.failures.set(topic, error),
    }
    this.stopChecks = clock.startInterval(() => this.check(), checkInterval)
  }

  /** Stores a topic, as it is requested from the service, until the subscription ends. */
  readonly record = (topic: Topic): Subscription => {
    return (this.topics.get(topic) ?? this.create(topic)).want()
  }

  onConnected(connection: NatsConnection): void {
    this.connection = connection
    void this.openStore(connection)
  }

  onLost(): void {
    this.opening.unsubscribe()
    this.connection = undefined
    this.store = undefined
    for (const topic of this.topics.values()) topic.onDisconnected()
  }

  /** The topics have ended. Resolves when their rows are stored, after at most a second. */
  async close(): Promise<void> {
    if (this.keptBytes > 0 && this.store !== undefined) {
      this.stored = deferred()
      const timer = delay(this.config.clock, closeTimeout, () => this.stored?.resolve(undefined))
      await this.stored.promise
      timer.unsubscribe()
    }
    this.stopChecks()
    this.onLost()
  }

  private async openStore(connection: NatsConnection): Promise<void> {
    const { open, clock, subjects, keep } = this.config
    try {
      const store = await openHistoryStore(open, connection, subjects, keep)
      if (this.connection !== connection) return
      if (store.created !== this.streamCreated) for (const topic of this.topics.values()) topic.onEmptied()
      this.streamCreated = store.created
      this.store = store
      this.failures.set(this, undefined)
      this.check()
    } catch (thrown) {
      if (this.connection !== connection) return
      this.failures.set(this, writeError(thrown))
      this.opening = delay(clock, retryAfter, () => void this.openStore(connection))
    }
  }

  /** The topics send their messages again when there is a store. */
  private onGone(store: HistoryStore): void {
    if (this.store !== store || this.connection === undefined) return
    this.store = undefined
    void this.openStore(this.connection)
  }

  private check(): void {
    for (const [name, topic] of this.topics) {
      topic.check()
      if (!topic.isDone) continue
      this.failures.set(topic, undefined)
      this.topics.delete(name)
    }
  }

  private create(topic: Topic): StoredTopic {
    const subject = this.config.subjects.history(canonicalAddress(addressOf(topic)))
    const stored = new StoredTopic(topic, subject, this.topicConfig)
    this.topics.set(topic, stored)
    return stored
  }

  private onKept(bytes: number): void {
    this.keptBytes += bytes
    if (this.keptBytes === 0) this.stored?.resolve(undefined)
  }

  private watch(subject: string, onText: (text: string) => void): Subscription {
    const subscription = this.connection?.subscribe(subject, {
      callback: (error, message) => {
        if (error === null) onText(message.string())
      },
    })
    return new Subscription(() => subscription?.unsubscribe())
  }
}
