import { checkFields } from '../check.js'
import { faultChecks, type Faults } from './faults.js'

/** The faults of this moment, and how they change. */
export interface FaultControl {
  readonly current: Faults
  /** Replaces all of them. Throws a `SimulatorError`, and changes nothing, where one is not as it must be. */
  readonly inject: (faults: Faults) => void
  readonly onChange: (listener: (faults: Faults) => void) => void
  /** Resolves as soon as the service is not stalled. */
  readonly unstalled: () => Promise<void>
}

export const createFaultControl = (initial: Faults): FaultControl => {
  const listeners: ((faults: Faults) => void)[] = []
  let held: (() => void)[] = []
  let current: Faults = {}

  const inject = (faults: Faults): void => {
    checkFields(faults, faultChecks, 'fault')
    current = { ...faults }
    for (const listener of listeners) listener(current)
    const released = held
    held = []
    for (const release of released) release()
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
    unstalled: async () => {
      while (current.stall === true) await new Promise<void>((release) => held.push(release))
    },
  }
}
