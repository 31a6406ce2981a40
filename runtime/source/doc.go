// Package source is where availability comes from: what a comprehensive check of
// a signal asks.
//
// Pool and Units read a platform's inventory in DynamoDB. Lambda and HTTP ask a
// platform that computes availability itself, for many signals at once; Batches
// makes a Source of either, or of any other Asker.
//
// # The request
//
// Lambda's event and HTTP's body are the same JSON:
//
//	{
//	  "version": 1,
//	  "signals": [
//	    {
//	      "key": "availabilitySignal::mockPark1::backcountryCamp::1::1::2026-07-01",
//	      "collectionId": "mockPark1",
//	      "activityType": "backcountryCamp",
//	      "activityId": "1",
//	      "productId": "1",
//	      "date": "2026-07-01"
//	    }
//	  ]
//	}
//
// There is at least one signal, and none is there twice. The key stands for the
// signal in the answer and need not be understood. The date is a calendar date in
// the product's own time zone. A later release may send more fields; a change that
// breaks what is here has another version.
//
// # The answer
//
// The function's result, or HTTP's answer with the status 200, has for each signal
// one of three things, in any order:
//
//		{
//		  "version": 1,
//		  "answers": [
//		    {"key": "availabilitySignal::...::2026-07-01", "available": 12, "capacity": 20},
//		    {"key": "availabilitySignal::...::2026-07-02", "none": true},
//		    {"key": "availabilitySignal::...::2026-07-03", "error": "pool 7 has no capacity"}
//		  ]
//		}
//
//	  - available and capacity, both whole numbers of 64 bits. Neither is rounded, and
//	    a number in quotation marks is none. What is left of a date that is oversold
//	    may be negative: it counts as 0, what is above the capacity counts as the
//	    capacity, and both are reported.
//	  - none, if there is no inventory at all, which is not the same as sold out.
//	  - error, in a few words without personal data: they are logged. It counts
//	    against this signal alone, which is put off longer each time. Where the
//	    trouble is the platform's own, fail instead.
//
// The read behind an answer must begin after the request has come, and see
// everything committed before: no cache, no replica that lags. A source that lags
// needs the runtime's settle time.
//
// Other fields are ignored. A signal may be left without an answer, if time runs
// out, say: it is asked for again in a smaller batch, at last alone. An answer
// that is unusable as a whole (another version, no JSON, which NaN is not, above
// the limit of 6 MB, an answer for a signal that was not asked for) is a failure.
//
// # Failures
//
// A batch that fails is halved, and each half asked for again, until it is known
// which signals cannot be had even alone. So a request may come twice; it must
// change nothing. Answers of the kind 429 and 409 mean that the platform is busy;
// they, 408 and 5xx are followed by the same request, after a random time that
// grows and never before Retry-After is over.
package source
