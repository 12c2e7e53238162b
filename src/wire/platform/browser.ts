import { sha256 } from '@noble/hashes/sha2.js'
import type { CreateMac } from '../auth/mac.js'
import { base64Of } from '../../base/domain/bytes.js'
import { unsignedBrowser } from './browser/unsigned-browser.js'
import type { Platform } from './platform.js'

const encoder = new TextEncoder()

/** The length of a block of SHA-256, in bytes. */
const blockLength = 64

/**
 * HMAC as RFC 2104 defines it, in fewer bytes than that of `@noble/hashes`. Web Crypto is asynchronous, and missing in pages
 * without TLS.
 */
const createMac: CreateMac = (key) => {
  const block = new Uint8Array(blockLength)
  block.set(key.length > blockLength ? sha256(key) : key)
  const start = (pad: number) => sha256.create().update(block.map((byte) => byte ^ pad))
  return (input) => {
    const inner = start(0x36)
    for (const piece of input) inner.update(typeof piece === 'string' ? encoder.encode(piece) : piece)
    return base64Of(start(0x5c).update(inner.digest()).digest()).replace('=', '')
  }
}

/** A browser, in a page or in a worker. */
export const browser: Platform = { ...unsignedBrowser, createMac }
