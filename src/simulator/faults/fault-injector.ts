import { parseFields } from '../simulator-error.js'
import { faultChecks, type Faults } from './faults.js'

/** Holds the current faults and notifies the servers of changes. */
export interface FaultInjector {
  readonly current: Faults
  /** Replaces all faults. Throws a `SimulatorError`, and changes nothing, if one is invalid. */
  readonly inject: (faults: Faults) => void
  /** Calls the listener with the current faults, then after every change. */
  readonly onChange: (listener: (faults: Faults) => void) => void
  /** Resolves as soon as the `stall` fault is off. */
  readonly whenNotStalled: () => Promise<void>
}

export const createFaultInjector = (initial: Faults): FaultInjector => {
  const listeners: ((faults: Faults) => void)[] = []
  let waiting: (() => void)[] = []
  let current: Faults = {}

  const inject = (faults: Faults): void => {
    parseFields(faultChecks, faults, 'fault')
    current = { ...faults }
    for (const listener of listeners) listener(current)
    const resumed = waiting
    waiting = []
    for (const resume of resumed) resume()
  }

  inject(initial)
  return {
    get current() {
      return current
    },
    inject,
    onChange: (listener) => {
      listeners.push(listener)
      listener(current)
    },
    whenNotStalled: async () => {
      while (current.stall === true) await new Promise<void>((resume) => waiting.push(resume))
    },
  }
}
