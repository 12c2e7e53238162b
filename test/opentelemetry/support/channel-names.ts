import type { DiagnosticMessages } from 'svc-streams'

const names: Readonly<
  Record<Exclude<keyof DiagnosticMessages, 'svc-streams:history-unreadable' | 'svc-streams:recording'>, true>
> = {
  'svc-streams:connecting': true,
  'svc-streams:connected': true,
  'svc-streams:disconnected': true,
  'svc-streams:subscribed': true,
  'svc-streams:rejected': true,
  'svc-streams:unanswered': true,
  'svc-streams:stale': true,
  'svc-streams:behind': true,
  'svc-streams:caught-up': true,
  'svc-streams:switched': true,
  'svc-streams:decode-error': true,
  'svc-streams:uncorrelated': true,
  'svc-streams:poll': true,
  'svc-streams:request': true,
  'svc-streams:repeated': true,
  'svc-streams:gateway-connected': true,
  'svc-streams:gateway-disconnected': true,
  'svc-streams:gateway-behind': true,
  'svc-streams:gateway-caught-up': true,
  'svc-streams:gateway-refused': true,
  'svc-streams:gateway-request': true,
  'svc-streams:gateway-history': true,
  'svc-streams:gateway-nats': true,
}

/** The channels that the library publishes on. */
export const channelNames: readonly string[] = Object.keys(names)
