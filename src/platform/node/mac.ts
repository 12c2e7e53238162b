import { createHmac, createSecretKey } from 'node:crypto'
import type { CreateMac } from '../../auth/mac.js'

/** The MAC by Node's `crypto`. */
export const createMac: CreateMac = (key) => {
  const secret = createSecretKey(key)
  return (input) => {
    const mac = createHmac('sha256', secret)
    for (const piece of input) mac.update(piece)
    return mac.digest('base64').replace('=', '')
  }
}
