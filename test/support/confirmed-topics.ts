import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { onTestFinished } from 'vitest'
import type { DiagnosticMessages } from 'svc-streams'

/** The topics that services confirm from now on, until the end of the test. */
export const collectConfirmedTopics = (): ReadonlySet<string> => {
  const topics = new Set<string>()
  const onSubscribed = (message: unknown): void => {
    topics.add((message as DiagnosticMessages['svc-streams:subscribed']).topic)
  }
  subscribe('svc-streams:subscribed', onSubscribed)
  onTestFinished(() => void unsubscribe('svc-streams:subscribed', onSubscribed))
  return topics
}
