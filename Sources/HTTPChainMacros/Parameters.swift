#if Macros
/// Names the parameter that is a variable of the path, where its name differs.
@attached(peer)
public macro Path(_ variable: String, from parameter: String) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sends parameters in the query, each under its own name; nil is left out.
@attached(peer)
public macro Query(_ parameters: String...) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sends a parameter in the query, under another name.
@attached(peer)
public macro Query(_ name: String, from parameter: String) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Gives parameters to the builder of the URL alone, each under its own name: `URLArguments.reserved`.
///
/// They are part of neither the query nor the header fields nor the body. A variable of the path needs none: a builder
/// finds it in `URLArguments.path`.
@attached(peer)
public macro Reserved(_ parameters: String...) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Gives a parameter to the builder of the URL alone, under another name.
@attached(peer)
public macro Reserved(_ name: String, from parameter: String) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sends a parameter as a header field with its own name; nil is left out.
@attached(peer)
public macro Header(_ parameter: String) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sends a parameter as a header field; nil is left out.
@attached(peer)
public macro Header(_ name: String, from parameter: String) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sends parameters as fields of an object that the chain's serializer encodes, or of a form with ``FormURLEncoded()``.
@attached(peer)
public macro Field(_ parameters: String...) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sends a parameter as a field, under another name.
@attached(peer)
public macro Field(_ name: String, from parameter: String) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sends parameters as parts of a multipart form: text, numbers, `Data`, a file's `URL`, an `HTTPBody`, a `MultipartPart`, arrays
/// and optionals of these. It needs a `MultipartMiddleware`.
@attached(peer)
public macro Part(_ parameters: String...) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sends a parameter as a part, under another name.
@attached(peer)
public macro Part(_ name: String, from parameter: String) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sends a parameter as the content, encoded by the chain's serializer.
@attached(peer)
public macro Body(_ parameter: String) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sends a parameter as the content, as it is: `Data`, text, a file's `URL`, an `HTTPBody`.
@attached(peer)
public macro RawBody(_ parameter: String) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Tells the progress of the call to a parameter of the type ``ProgressHandler``.
@attached(peer)
public macro Progress(_ parameter: String) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Changes the finished request with a parameter, a closure `@Sendable (Request) -> Request`.
@attached(peer)
public macro Change(_ parameter: String) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Gives a parameter of the client's method a default value; an optional one has nil without this.
@attached(peer)
public macro Default<Value>(_ parameter: String, _ value: Value) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")
#endif
