import { signRequestWith, type RequestSigner } from './wire/auth/sign-request.js'
import { createClientOn } from './client/create-client.js'
import { browser } from './wire/platform/browser.js'

// The front door in a browser. Its types are those of `index.ts`.

export * from './exports.js'
export const createClient = createClientOn(browser)
// A function, and not the result of a call: a bundler leaves it out of a page that does not sign.
export const signRequest: RequestSigner = (request) => signRequestWith(browser.createMac)(request)
