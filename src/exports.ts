// The exports that are the same on every platform.

// The two sides of an event
export { isLeft, isRight, match } from 'fp-ts/lib/Either.js'

// Client
export type { Client, PriceClient } from './client/client.js'
export type {
  ClientOptions,
  DepthClientOptions,
  ReconnectOptions,
  UnsignedClientOptions,
} from './client/options.js'
export type { Stream } from './base/time/stream.js'

// Tokens
export {
  defineTokens,
  type DefinedToken,
  type DefinedTokens,
  type DefineTokensOptions,
  type TokenDefinition,
} from './client/tokens.js'
export { formatQuantity, parseAddress, parseQuantity, parseTopic, topicOf } from './wire/codec/arguments.js'
export { isAddress, isTopic, type Address, type Topic } from './base/domain/topic.js'

// Domain
export type { Depth, DepthSide, DepthSnapshot } from './base/domain/depth.js'
export type { ChainId, Environment } from './base/domain/environment.js'
export type { Price } from './base/domain/price.js'
export type {
  ClientSnapshot,
  LineSnapshot,
  PollSnapshot,
  TopicSnapshot,
  TopicState,
} from './base/domain/snapshot.js'
export type { Closed, ConnectionStatus, Connecting, Idle, Open, Waiting } from './base/domain/snapshot.js'

// Diagnostics
export type { DiagnosticsCollector } from './base/diagnostics/collector.js'
export type { DiagnosticMessages, GatewayDisconnectCause } from './base/diagnostics/messages.js'

// Errors
export { ConfigurationError } from './base/errors/configuration-error.js'
export { matchError, renderError } from './base/errors/render.js'
export type {
  AnyError,
  ClientClosed,
  DecodeError,
  DecodeIssue,
  DepthError,
  Disconnected,
  HttpError,
  InvalidInterval,
  InvalidMint,
  InvalidTopic,
  FailureCause,
  NetworkError,
  NotFresh,
  PriceError,
  PriceRequestError,
  Stale,
  SubscriptionRejected,
  SubscriptionTimeout,
  Timeout,
  Unauthorized,
  UncorrelatedError,
  UnsupportedPair,
} from './base/errors/model.js'

// Codecs
export { DepthBody, DepthSideBody, decodeDepth, encodeDepth } from './wire/codec/depth.js'
export { decodeFrame, PriceUpdate, SubscriptionConfirmation, type Frame } from './wire/codec/price-frame.js'
export { EpochMillis, MidpointPrice, PriceValue, Quantity, UsdAmount } from './wire/codec/number.js'
export { decodePriceText } from './wire/codec/response-text.js'
export type { StandardIssue, StandardResult, StandardSchema } from './wire/codec/standard-schema.js'

// Signing
export type { CanonicalHeaders, RequestSigner, SignRequest } from './wire/auth/sign-request.js'

// Ports
export type {
  DialOptions,
  HttpRequest,
  HttpResponse,
  HttpResult,
  HttpTransport,
  Socket,
  SocketListener,
  WebSocketTransport,
} from './wire/transport/ports.js'
