import { type Clock, macrotasks } from '../../base/time/clock.js'

/** Handles a part of what a consumer has sent, in less than a ms. */
export type Step = () => void

/** The time that all consumers together get in one turn of the event loop, in ms: live prices wait for no longer. */
const turnTime = 5

/** The messages of all connections that wait, in bytes. */
const maxWaitingBytes = 2 ** 26

/** What consumers have sent, handled in turns: one step of each. No consumer delays the prices of others. */
export class Intake {
  /** Of the messages that were read, and wait for a limit of their connection. */
  waitingBytes = 0
  private readonly steps = new Set<Step>()
  private isRunning = false
  private isTurn = false
  private turnEnd = 0

  constructor(private readonly clock: Pick<Clock, 'elapsed'>) {}

  /** True while no connection with waiting messages is read. */
  get isFull(): boolean {
    return this.waitingBytes >= maxWaitingBytes
  }

  /** Handles a step, now or in a later turn. A step that waits already is not added again. */
  add(step: Step): void {
    this.steps.add(step)
    if (!this.isTurn) this.startTurn()
    if (!this.isRunning) this.run()
  }

  private startTurn(): void {
    this.isTurn = true
    this.turnEnd = this.clock.elapsed() + turnTime
    macrotasks()(() => {
      this.isTurn = false
      if (this.steps.size === 0) return
      this.startTurn()
      this.run()
    })
  }

  /** A step that adds itself again is last. */
  private run(): void {
    this.isRunning = true
    try {
      for (const step of this.steps) {
        if (this.clock.elapsed() >= this.turnEnd) return
        this.steps.delete(step)
        step()
      }
    } finally {
      this.isRunning = false
    }
  }
}

/** The messages that a consumer may send: `perSecond`, and at once as many as in `burstSeconds`. */
export class MessageBucket {
  /** Until when the messages so far take the whole rate: monotonic, in ms. */
  private takenUntil = -Infinity

  constructor(
    private readonly perSecond: number,
    private readonly burstSeconds: number,
    /** Monotonic, in ms. */
    private readonly now: () => number,
  ) {}

  take(): void {
    const earliest = this.now() - this.burstSeconds * 1000
    this.takenUntil = Math.max(this.takenUntil, earliest) + 1000 / this.perSecond
  }

  /** The time until a further message may be handled, in ms. */
  get waitMs(): number {
    return Math.max(0, this.takenUntil - this.now())
  }
}
