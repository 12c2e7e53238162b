import { sha256 } from '@noble/hashes/sha2.js'
import { hmacBlocks, type CreateMac } from '../auth/mac.js'
import { base64Of } from '../../base/domain/bytes.js'
import { unsignedBrowser } from './browser/unsigned-browser.js'
import type { Platform } from './platform.js'

const encoder = new TextEncoder()

/**
 * HMAC in fewer bytes than that of `@noble/hashes`. Web Crypto is asynchronous, and missing in pages without TLS.
 */
const createMac: CreateMac = (key) => {
  const { inner, outer } = hmacBlocks(key, sha256)
  return (input) => {
    const hash = sha256.create().update(inner)
    for (const piece of input) hash.update(typeof piece === 'string' ? encoder.encode(piece) : piece)
    return base64Of(sha256.create().update(outer).update(hash.digest()).digest()).replace('=', '')
  }
}

/** A browser, in a page or in a worker. */
export const browser: Platform = { ...unsignedBrowser, createMac }
