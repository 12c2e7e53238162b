import { createClient, type Client, type DepthClientOptions } from 'svc-streams'
import { startSimulator, type Simulator, type SimulatorOptions } from 'svc-streams/simulator'
import { closeAfterTest } from './close-after-test.js'
import { wbtc, weth } from './tokens.js'

// A simulator and a client of it, over real sockets.

/** The bytes 00 to 1f. */
export const authKey = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='

/** Two tokens whose prices change every 10 ms. */
export const fastMarket = { tokens: [weth, wbtc], tick: 10 } satisfies SimulatorOptions

/** Starts a simulator with exactly these options. */
export const startTestSimulator = async (options: SimulatorOptions = fastMarket): Promise<Simulator> =>
  closeAfterTest(await startSimulator(options))

/** Creates a client of a simulator. */
export const createClientFor = (simulator: Simulator, options: Partial<DepthClientOptions> = {}): Client =>
  closeAfterTest(createClient({ environment: 'mainnet', ...simulator, ...options }))
