import { parseFields } from '../check.js'
import { faultChecks, type Faults } from './faults.js'

/** Holds the current faults and notifies the servers of changes. */
export class FaultInjector {
  private readonly listeners: ((faults: Faults) => void)[] = []
  private waiting: (() => void)[] = []
  private faults: Faults = {}

  constructor(initial: Faults) {
    this.inject(initial)
  }

  get current(): Faults {
    return this.faults
  }

  /** Replaces all faults. Throws a `SimulatorError`, and changes nothing, if one is invalid. */
  inject(faults: Faults): void {
    parseFields(faultChecks, faults, 'fault')
    this.faults = { ...faults }
    for (const listener of this.listeners) listener(this.faults)
    const resumed = this.waiting
    this.waiting = []
    for (const resume of resumed) resume()
  }

  /** Calls the listener with the current faults, then after every change. */
  onChange(listener: (faults: Faults) => void): void {
    this.listeners.push(listener)
    listener(this.faults)
  }

  /** Resolves as soon as the `stall` fault is off. */
  async whenNotStalled(): Promise<void> {
    while (this.faults.stall === true) await new Promise<void>((resume) => this.waiting.push(resume))
  }
}
