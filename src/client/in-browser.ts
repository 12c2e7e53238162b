import { signRequestWith } from '../auth/sign-request.js'
import { browser } from '../platform/browser.js'
import { createClientOn } from './create-client.js'

// The parts of the front door that depend on the platform, for a browser.

export const createClient = createClientOn(browser)
export const signRequest = signRequestWith(browser.createMac)
