/// A stage that lets calls share a response; outer stages that separate users check whether it does so too.
package protocol SharingMiddleware: Middleware {
    /// The rule by which it separates users.
    var userPartition: UserPartition { get }
}
