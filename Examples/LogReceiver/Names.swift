import FlyingFox
import HTTPChain

// Names that the server and the chain both declare. Here, messages are the server's, and JSON is the chain's.
typealias HTTPRequest = FlyingFox.HTTPRequest
typealias HTTPResponse = FlyingFox.HTTPResponse
typealias JSONValue = HTTPChain.JSONValue
