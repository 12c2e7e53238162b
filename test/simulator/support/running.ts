import { startSimulator, type Simulator, type SimulatorOptions } from 'svc-streams/simulator'
import { onTestFinished } from 'vitest'

/** The bytes 00 to 1f. */
export const authKey = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='

/** A simulator that lives as long as the test. */
export const running = async (options: SimulatorOptions = {}): Promise<Simulator> => {
  const simulator = await startSimulator(options)
  onTestFinished(simulator.close)
  return simulator
}
