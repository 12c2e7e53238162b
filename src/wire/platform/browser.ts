import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import type { CreateMac } from '../auth/sign-request.js'
import { base64Of } from '../../base/domain/bytes.js'
import { unsignedBrowser } from './browser/unsigned-browser.js'
import type { Platform } from './platform.js'

const encoder = new TextEncoder()

/** Web Crypto is asynchronous, and missing in pages without TLS. */
const createMac: CreateMac = (key) => (input) => {
  const mac = hmac.create(sha256, key)
  for (const piece of input) mac.update(typeof piece === 'string' ? encoder.encode(piece) : piece)
  return base64Of(mac.digest()).replace('=', '')
}

/** A browser, in a page or in a worker. */
export const browser: Platform = { ...unsignedBrowser, createMac }
