import { signRequestWith } from './auth/sign-request.js'
import { createClientOn } from './client/create-client.js'
import { browser } from './platform/browser.js'

// The front door in a browser. Its types are those of `index.ts`.

export * from './exports.js'
export const createClient = createClientOn(browser)
export const signRequest = signRequestWith(browser.createMac)
