import * as rxjs from 'rxjs'
import * as svcStreams from '../../../src/browser.js'
import * as pastPrices from '../../../src/backtest/history/browser.js'
import * as operators from '../../../src/operators/index.js'
import * as recording from '../../../src/backtest/recording/browser.js'
import * as testing from '../../../src/testing/index.js'
import { ClientDriver } from './client-driver.js'

/** What the functions use that tests run in a page. */
export interface Library {
  readonly svcStreams: typeof svcStreams
  readonly operators: typeof operators
  /** `history` is the global of a page. */
  readonly pastPrices: typeof pastPrices
  readonly recording: typeof recording
  readonly testing: typeof testing
  readonly rxjs: typeof rxjs
  readonly ClientDriver: typeof ClientDriver
}

const library: Library = { svcStreams, operators, pastPrices, recording, testing, rxjs, ClientDriver }
Object.assign(globalThis, library)
