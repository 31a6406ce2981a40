variable "table_name" {
  description = "Table of the signals."
  type        = string
}

variable "buckets" {
  description = "Buckets by name, and how many seconds lie between two runs of each."
  type        = map(number)

  validation {
    condition     = alltrue([for seconds in values(var.buckets) : seconds >= 60 && seconds % 60 == 0 && seconds <= 172800])
    error_message = "A cadence is whole minutes in seconds, up to two days: CloudWatch looks back for a week at most."
  }
}

variable "function_name" {
  description = "The runtime's function."
  type        = string
}

variable "page_topic_arns" {
  description = "SNS topics of what somebody is called for at night."
  type        = list(string)
  default     = []
}

variable "ticket_topic_arns" {
  description = "SNS topics of what has time until the morning."
  type        = list(string)
  default     = []
}

variable "reads_stream" {
  description = "Whether an event source mapping hands the function the records of a stream."
  type        = bool
  default     = false
}

variable "dead_letter_queue_name" {
  description = "Queue of what the rules, the function's asynchronous invocations and the event source mapping give up; null for none."
  type        = string
  default     = null
}
