/** Prints a time for the tables of failures in docs/operate, in ms, if `NATS_TIMES=1` is set. */
export const printTime = (title: string, ms: number): void => {
  if (process.env['NATS_TIMES'] !== undefined) console.log(`${title}: ${Math.round(ms)} ms`)
}
