import { createHash } from 'node:crypto'

/** Topics as tokens have them: an address of 40 digits. */
export const topicsOf = (count: number): readonly string[] =>
  Array.from(
    { length: count },
    (_, index) => `svc-0x${createHash('sha1').update(String(index)).digest('hex')}`,
  )
