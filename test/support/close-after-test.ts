import { onTestFinished } from 'vitest'

/** Closes a resource after the current test. Returns the resource. */
export const closeAfterTest = <A extends { close: () => Promise<void> }>(resource: A): A => {
  onTestFinished(() => resource.close())
  return resource
}
