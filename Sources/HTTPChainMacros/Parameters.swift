#if Macros
/// Binds a variable of the path to a parameter with another name.
@attached(peer)
public macro Path(_ variable: String, from parameter: String) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sends parameters in the query, each under its own name, or one under another name:
/// `@Query("sort_by", from: "order")`; nil is omitted.
@attached(peer)
public macro Query(_ parameters: String..., from parameter: String = "") =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Passes parameters only to the URL builder; each has its own name, or one has another name (`from:`).
///
/// Values that can be part of a URL are in `URLArguments.reserved`. All others that aren't nil are in
/// `URLArguments.reservedValues`, which only a custom builder, as set by ``URLBuiltBy(_:)``, can read.
///
/// They aren't part of the query, the header fields or the body. Variables of the path don't need this annotation,
/// because a builder finds them in `URLArguments.path`.
@attached(peer)
public macro Reserved(_ parameters: String..., from parameter: String = "") =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sends a parameter as a header field with its own name, or with another name: `@Header("X-Request-ID", from: "id")`;
/// nil is omitted.
@attached(peer)
public macro Header(_ name: String, from parameter: String = "") =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sends parameters as fields of an object that the chain's serializer encodes, or of a form with ``FormURLEncoded()``,
/// each under its own name, or one under another name (`from:`).
@attached(peer)
public macro Field(_ parameters: String..., from parameter: String = "") =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sends parameters as parts of a multipart form: text, numbers, `Data`, a file's `URL`, an `HTTPBody`, a
/// `MultipartPart`, arrays and optionals of these.
///
/// Each has its own name, or one has another name (`from:`). This requires a `MultipartMiddleware`.
@attached(peer)
public macro Part(_ parameters: String..., from parameter: String = "") =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sends a parameter as the content, encoded by the chain's serializer.
@attached(peer)
public macro Body(_ parameter: String) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sends a parameter as the unchanged content: `Data`, text, a file's `URL`, an `HTTPBody`.
@attached(peer)
public macro RawBody(_ parameter: String) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Reports the progress of the call to a parameter of the type ``ProgressHandler``.
@attached(peer)
public macro Progress(_ parameter: String) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Appends a parameter, an `ODataQuery` of `HTTPChainOData`, to the path, which must be the root of the service.
///
/// Write it as `@GET("v4") @OData("query") func people(query: ODataQuery<Person>) async throws`. The module of the
/// service must import `HTTPChainOData`.
@attached(peer)
public macro OData(_ parameter: String) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Changes the finished request with a parameter, which is a closure `@Sendable (Request) -> Request`.
@attached(peer)
public macro Change(_ parameter: String) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sets the default value of a parameter of the client's method; without it, the default of an optional is nil.
@attached(peer)
public macro Default<Value>(_ parameter: String, _ value: Value) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")
#endif
